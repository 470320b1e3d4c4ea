// Owns which programs only start others.
#include "postcheck/finding/ancestor.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

// As /proc has it: "PID (NAME) STATE PARENT ...", the start time in field 22.
static bool read_one(int pid, char name[32], int *ret_parent, unsigned long long *ret_start)
{
	char path[32], text[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	size_t length = file_kernel(AT_FDCWD, path, text, sizeof(text));
	const char *begin = length ? strchr(text, '(') : NULL;
	const char *end = begin ? strrchr(begin, ')') : NULL; // the name may hold anything
	if (!end || end - begin > 31)
		return false;
	str_put(name, 32, "%.*s", (int)(end - begin - 1), begin + 1);
	return sscanf(end,
		      ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
		      "%*d %llu",
		      ret_parent, ret_start) == 2;
}

void ancestor_name(char name[ANCESTOR_MAX])
{
	enum { FAR = 32 };
	static const char starters[] = "sh bash dash zsh ksh mksh fish busybox env timeout nice "
				       "ionice nohup setsid stdbuf "
				       "time xargs sbx sbx-shell";
	char program[32], found[32] = "";
	unsigned long long start = 0;
	int pid = getppid(), parent = 0;
	snprintf(name, ANCESTOR_MAX, "0-0");
	for (int i = 0; i < FAR && pid > 0 && read_one(pid, program, &parent, &start); i++) {
		// What it forks has its name.
		if (found[0] && !str_equal(found, program))
			return;
		snprintf(name, ANCESTOR_MAX, "%d-%llu", pid, start);
		if (!str_has_word(starters, program, strlen(program)))
			memcpy(found, program, sizeof(found));
		pid = parent;
	}
}
