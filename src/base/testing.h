// Fault injection and the removal of single walls. Only in the test build (SBX_TESTING): the
// program that is installed does not contain it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef SBX_TESTING
bool testing_skips(const char *step); // $SBX_TEST_SKIP=step,step
bool testing_fails(const char *step); // $SBX_TEST_FAIL=step
int testing_landlock(int abi);        // $SBX_TEST_LANDLOCK=abi, when that is less
void testing_left(const char *text);  // of a failure that was tolerated, at the end: reported
long testing_look(long nanoseconds);  // $SBX_TEST_LOOK=nanoseconds, of the look after a run
// $SBX_TEST_REACH="NAME=CALL,ARGUMENT,ARGUMENT ...": makes them, and prints which got through
void testing_reach(void);
#else
static inline void testing_reach(void)
{
}
static inline void testing_left(const char *text)
{
	(void)text;
}
static inline long testing_look(long nanoseconds)
{
	return nanoseconds;
}
static inline int testing_landlock(int abi)
{
	return abi;
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
