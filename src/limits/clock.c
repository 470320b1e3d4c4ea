// Owns the time limit and the end of a run.
#include "limits/group.h"

#include <signal.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"

enum { GRACE_MILLISECONDS = 2000 };

void clock_begin(const struct plan *plan, const struct run *run, struct clock *clock)
{
	uint64_t limit = plan->profile->limits.time;
	clock->begin = run->began;
	clock->end = limit == UNLIMITED ? -1 : clock->begin + (int64_t)limit;
}

void clock_signal(const struct run *run, int number)
{
	fd_order(run->from_box, run->pidfd, SIGNAL_ORDER, number);
}

// Sends SIGKILL. In tier landlock, without a pid namespace, first asks pid 1 to kill all.
static void kill_box(const struct run *run, struct clock *clock)
{
	bool asks = run->tier_landlock && !clock->asked;
	sys_pidfd_send_signal(run->pidfd, asks ? SIGNAL_END : SIGKILL, NULL);
	clock->asked = true;
	clock->end = asks ? steady_now() + GRACE_MILLISECONDS : -1;
}

void clock_end(const struct run *run, struct clock *clock, enum stop why)
{
	clock->stop = why;
	clock_signal(run, SIGTERM);
	clock_signal(run, SIGCONT);
	clock->end = steady_now() + GRACE_MILLISECONDS;
}

int clock_tick(const struct plan *plan, struct run *run, struct clock *clock)
{
	enum stop met = STOP_NONE;
	int64_t now = steady_now();
	int look = clock->stop == STOP_NONE ? watch_limits_look(plan, run, now, &met) : -1;
	if (met != STOP_NONE) {
		clock->stop = met;
		kill_box(run, clock);
	} else if (clock->end >= 0 && now >= clock->end && clock->stop != STOP_NONE) {
		kill_box(run, clock);
	} else if (clock->end >= 0 && now >= clock->end) {
		clock_end(run, clock, STOP_TIME);
	}
	if (clock->end < 0)
		return clock->stop == STOP_NONE ? look : -1;
	int64_t left = clock->end > now ? clock->end - now : 0;
	left = left > 1 << 30 ? 1 << 30 : left;
	return look >= 0 && look < left ? look : (int)left;
}
