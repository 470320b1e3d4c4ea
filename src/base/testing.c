// Owns the hooks of the test build.
#include "base/testing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SBX_TESTING
static bool names(const char *variable, const char *step)
{
	const char *list = getenv(variable);
	size_t length = strlen(step);
	while (list && *list) {
		size_t word = strcspn(list, ",");
		if (word == length && strncmp(list, step, length) == 0)
			return true;
		list += word + (list[word] == ',');
	}
	return false;
}

bool testing_skips(const char *step)
{
	return names("SBX_TEST_SKIP", step);
}

bool testing_fails(const char *step)
{
	return names("SBX_TEST_FAIL", step);
}

long testing_look(long nanoseconds)
{
	const char *other = getenv("SBX_TEST_LOOK");
	return other ? atol(other) : nanoseconds;
}

int testing_landlock(int abi)
{
	const char *most = getenv("SBX_TEST_LANDLOCK");
	return most && atoi(most) < abi ? atoi(most) : abi;
}

void testing_reach(void)
{
	const char *at = getenv("SBX_TEST_REACH");
	char name[32];
	long call, first, second;
	for (int used;
	     at && sscanf(at, "%31[^=]=%ld,%ld,%ld %n", name, &call, &first, &second, &used) == 4;
	     at += used)
		if (syscall(call, first, second, 0, 0, 0, 0) >= 0 ||
		    (errno != EPERM && errno != ENOSYS))
			dprintf(STDERR_FILENO, "reached: %s\n", name);
}

void testing_left(const char *text)
{
	if (text[0])
		dprintf(STDERR_FILENO, "sbx-testing: left behind: %s\n", text);
}
#endif
