// Owns the comparison of a run's start with file times.
#include "postcheck/postcheck.h"

#include <sys/stat.h>
#include <time.h>

#include "base/base.h"
#include "plan.h"

// Returns zero if the clock was set back: then everything is checked.
struct timespec clock_start(const struct plan *plan)
{
	enum { SLACK_MILLISECONDS = 20 };
	struct timespec now, steady, never = { 0 };
	// clock_pass() reads in the other order: a pause in between is no setback.
	clock_gettime(CLOCK_MONOTONIC_COARSE, &steady);
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	int64_t by_clock = (now.tv_sec - plan->start.tv_sec) * 1000 +
			   (now.tv_nsec - plan->start.tv_nsec) / 1000000;
	int64_t in_truth = (steady.tv_sec - plan->start_steady.tv_sec) * 1000 +
			   (steady.tv_nsec - plan->start_steady.tv_nsec) / 1000000;
	return by_clock + SLACK_MILLISECONDS < in_truth ? never : plan->start;
}

// Whether a change of `fd` now gets a time after `start`: within a tick (10 ms) only since Linux
// 6.13, once its old time was read.
static bool has_exact(int fd, const struct timespec *start)
{
	enum { OWN = 0600, CHANGES = 3 };
	struct stat status;
	for (int i = 0; i < CHANGES && fd >= 0; i++)
		if (fchmod(fd, OWN) < 0 || fstat(fd, &status) < 0)
			return false;
		else if (times_from(&status.st_ctim) > times_from(start))
			return true;
	return false;
}

int64_t clock_over(int fd)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	has_exact(fd, &now);
	return times_from(&now);
}

// Waits for a file time after `time`. A virtual machine's tick may exceed 10 ms.
static bool passes(const struct timespec *time, int fd)
{
	enum { TRIES_MAX = 2000, SET_BACK_SECONDS = 2 };
	struct timespec now, pause = { .tv_nsec = 300000 };
	for (int i = 0; i < TRIES_MAX; i++) {
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
		if (times_from(&now) > times_from(time) || (i == 0 && has_exact(fd, time)))
			return true;
		if (now.tv_sec + SET_BACK_SECONDS < time->tv_sec)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

void clock_pass(struct plan *plan, int fd)
{
	if (passes(&plan->start, fd))
		return;
	// The clock was set back before: clock_start() must not count that again.
	clock_gettime(CLOCK_REALTIME_COARSE, &plan->start);
	clock_gettime(CLOCK_MONOTONIC_COARSE, &plan->start_steady);
	passes(&plan->start, fd);
}
