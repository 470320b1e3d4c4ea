// The clock that nobody sets, and the time of this process, as all rooms count them.
#pragma once

#include <stdint.h>
#include <time.h>

// Milliseconds.
static inline int64_t steady_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Nanoseconds of the processor: for bounds that a busy machine must not reach earlier.
static inline int64_t processor_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
