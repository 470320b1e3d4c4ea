// A process, by /proc/PID/stat (proc_pid_stat(5)).
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"

struct process_stat {
	char name[64]; // as the process has set it
	char state;
	pid_t parent, group;
	unsigned long long start; // clock ticks since boot
};

// By a file `stat`. False where there is no such process.
static inline bool process_stat_at(int directory, const char *file, struct process_stat *ret)
{
	char text[1024] = "";
	autoclose int fd = openat(directory, file, O_RDONLY | O_CLOEXEC);
	const char *name = read(fd, text, sizeof(text) - 1) > 0 ? strchr(text, '(') : NULL;
	const char *end = name ? strrchr(name, ')') : NULL; // the name may hold anything
	return end &&
	       str_put(ret->name, sizeof(ret->name), "%.*s", (int)(end - name - 1), name + 1) &&
	       sscanf(end,
		      ") %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
		      "%llu",
		      &ret->state, &ret->parent, &ret->group, &ret->start) == 4;
}

static inline bool process_stat(pid_t pid, struct process_stat *ret)
{
	char file[32];
	return str_put(file, sizeof(file), "/proc/%d/stat", (int)pid) &&
	       process_stat_at(AT_FDCWD, file, ret);
}
