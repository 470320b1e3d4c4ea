// Fault injection and the removal of single walls, only in the test build (SBX_TESTING).
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef SBX_TESTING
bool testing_skips(const char *step);
bool testing_fails(const char *step);
int testing_landlock(int abi);
void testing_left(const char *text);
long testing_look(long nanoseconds); // $SBX_TEST_LOOK: time for the check after a run
// Makes the calls of $SBX_TEST_REACH="NAME=CALL,ARGUMENT ...", and prints which succeeded.
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
