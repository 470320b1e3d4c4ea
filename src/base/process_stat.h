// Reads /proc/PID/stat (proc_pid_stat(5)).
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"

struct process_stat {
	char name[64];
	char state;
	pid_t parent, group;
	unsigned long long ticks; // CPU time, also of reaped children
	unsigned long long threads;
	unsigned long long start; // clock ticks since boot
	unsigned long long pages; // in memory
};

static inline bool process_stat_at(int directory, const char *file, struct process_stat *ret)
{
	char text[1024] = "";
	unsigned long long user, kernel, children, in_kernel;
	autoclose int fd = openat(directory, file, O_RDONLY | O_CLOEXEC);
	const char *name = read(fd, text, sizeof(text) - 1) > 0 ? strchr(text, '(') : NULL;
	const char *end = name ? strrchr(name, ')') : NULL;
	if (!end ||
	    !str_put(ret->name, sizeof(ret->name), "%.*s", (int)(end - name - 1), name + 1) ||
	    sscanf(end,
		   ") %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %llu "
		   "%*d %llu %*u %llu",
		   &ret->state, &ret->parent, &ret->group, &user, &kernel, &children, &in_kernel,
		   &ret->threads, &ret->start, &ret->pages) != 10)
		return false;
	ret->ticks = user + kernel + children + in_kernel;
	return true;
}

static inline bool process_stat(pid_t pid, struct process_stat *ret)
{
	char file[32];
	return str_put(file, sizeof(file), "/proc/%d/stat", (int)pid) &&
	       process_stat_at(AT_FDCWD, file, ret);
}

// A pid names a process only in its boot and pid namespace.
enum { PROCESS_BOOT = 37 };
struct process_place {
	char boot[PROCESS_BOOT];
	uint64_t pid_namespace;
};
static inline struct process_place process_place_here(void)
{
	struct stat status;
	struct process_place here = { 0 };
	file_kernel(AT_FDCWD, "/proc/sys/kernel/random/boot_id", here.boot, sizeof(here.boot));
	here.pid_namespace = stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
	return here;
}

// Returns the pid that holds the lock, -1 if none, 0 if it is of another pid namespace or machine.
static inline pid_t process_holding(int file, struct flock lock)
{
	if (fcntl(file, F_GETLK, &lock) < 0 || lock.l_type != F_WRLCK)
		return -1;
	return lock.l_pid > 0 ? lock.l_pid : 0;
}
