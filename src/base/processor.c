// Owns the placing of processes on processors; see sched_setaffinity(2).
#include "base/processor.h"

// Those that we may use; more than one, or nothing is worth a hint.
static bool several(int *ret_here, cpu_set_t *ret_all)
{
	*ret_here = sched_getcpu();
	return *ret_here >= 0 && sched_getaffinity(0, sizeof(*ret_all), ret_all) == 0 &&
	       CPU_COUNT(ret_all) > 1;
}

unsigned processor_others(cpu_set_t *ret_others)
{
	int here;
	if (!several(&here, ret_others))
		return 0;
	CPU_CLR((size_t)here, ret_others);
	return (unsigned)CPU_COUNT(ret_others);
}
