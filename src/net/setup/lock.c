// Owns the filter of the supervisor's system calls, and the wiping of memory for a worker. The
// filter comes after the box's start, because behind it a failed start cannot be repeated.
#include "net/setup/netns.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/base.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"

void lock_plan(struct plan *plan)
{
	bool walls = plan->tier == TIER_FULL && plan->place_count > 0;
	plan->left_open = (plan->egress.on ? LEFT_INTERNET : 0U) | (walls ? LEFT_WALLS : 0U) |
			  (plan->asking.count > 0 ? LEFT_ANSWERS : 0U) |
			  (plan->profile->guard == TOGGLE_YES ? LEFT_BPF : 0U);
}

const struct lock_right lock_rights[] = {
	{ "files", "yours: the run's record, the check at its end", 0 },
	{ "signals", "to your processes: they end the box", 0 },
	{ "internet", "sockets: the proxy", LEFT_INTERNET },
	{ "mounts", "in the box: the one over a protected name is put back", LEFT_WALLS },
	{ "memory", "of the box's processes: arguments of calls that are answered", LEFT_ANSWERS },
	{ "bpf", "counters of the programs in its cgroup", LEFT_BPF },
	{ NULL, NULL, 0 },
};

bool lock_keeps(const struct plan *plan, const struct lock_right *right)
{
	return !right->part || (plan->left_open & right->part);
}

int lock_host(const struct plan *plan, struct run *run)
{
	if (plan->executes)
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail(errno, "PR_SET_NO_NEW_PRIVS");
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, NULL) <
		    0 &&
	    errno != EFAULT)
		return fail(errno, "a filter of system calls");
	run->lock = LOCK_READY;
	return 0;
}

int lock_begin(const struct plan *plan, struct run *run)
{
	if (run->lock != LOCK_READY)
		return 0;
	if (confine_supervisor(plan->left_open) < 0)
		return fail(errno, "lock the supervisor");
	run->lock = LOCK_DONE;
	return 0;
}

static void wipe(char *const *texts)
{
	for (; *texts; texts++)
		memset(*texts, 0, strlen(*texts));
}

void confine_forget(const struct plan *plan, const struct run *run)
{
	wipe(run->environment);
	wipe(run->arguments);
	arena_free(plan->arena);
}
