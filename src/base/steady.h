// The clock that nobody sets, as all rooms count it.
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
