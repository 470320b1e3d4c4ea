// Owns the placing of processes on processors; see sched_setaffinity(2).
#include "base/processor.h"

// Those that we may use; more than one, or nothing is worth a hint.
static bool several(int *ret_here, cpu_set_t *ret_all)
{
	*ret_here = sched_getcpu();
	return *ret_here >= 0 && sched_getaffinity(0, sizeof(*ret_all), ret_all) == 0 &&
	       CPU_COUNT(ret_all) > 1;
}

void processor_part(pid_t pid)
{
	int here;
	cpu_set_t all, others;
	if (!several(&here, &all))
		return;
	others = all;
	CPU_CLR((size_t)here, &others);
	if (sched_setaffinity(pid, sizeof(others), &others) == 0)
		sched_setaffinity(pid, sizeof(all), &all);
}

void processor_bring(pid_t pid, cpu_set_t *ret_all)
{
	int here;
	cpu_set_t ours;
	if (!several(&here, ret_all)) {
		CPU_ZERO(ret_all);
		return;
	}
	CPU_ZERO(&ours);
	CPU_SET((size_t)here, &ours);
	sched_setaffinity(pid, sizeof(ours), &ours);
}

void processor_free(pid_t pid, const cpu_set_t *all)
{
	if (CPU_COUNT(all) > 0)
		sched_setaffinity(pid, sizeof(*all), all);
}
