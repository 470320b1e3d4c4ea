// Fault injection and the removal of single walls. Only in the test build (SBX_TESTING): the
// program that is installed does not contain it.
#pragma once

#include <stdbool.h>

#ifdef SBX_TESTING
bool testing_skips(const char *step); // $SBX_TEST_SKIP=step,step
bool testing_fails(const char *step); // $SBX_TEST_FAIL=step
int testing_landlock(int abi);        // $SBX_TEST_LANDLOCK=abi, when that is less
const char *testing_meminfo(void);    // $SBX_TEST_MEMINFO=file, else the kernel's
#else
static inline int testing_landlock(int abi)
{
	return abi;
}
static inline const char *testing_meminfo(void)
{
	return "/proc/meminfo";
}
static inline bool testing_skips(const char *step)
{
	(void)step;
	return false;
}
static inline bool testing_fails(const char *step)
{
	(void)step;
	return false;
}
#endif
