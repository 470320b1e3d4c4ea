// A process, by /proc/PID/stat (proc_pid_stat(5)).
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

// Where the number of a process is one: this boot of this machine, and a pid namespace of it.
enum { PROCESS_BOOT = 37 };
struct process_place {
	char boot[PROCESS_BOOT]; // the kernel's id of the boot, a UUID; "" where it cannot be read
	uint64_t pid_namespace;  // inode
};
static inline struct process_place process_place_here(void)
{
	struct stat status;
	struct process_place here = { 0 }; // the id fills it, so that one read is enough
	file_kernel(AT_FDCWD, "/proc/sys/kernel/random/boot_id", here.boot, sizeof(here.boot));
	here.pid_namespace = stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
	return here;
}

// Which process has a part of a file locked by fcntl(2): -1: none; 0: one without a number here, as
// it is in another pid namespace or on another machine.
static inline pid_t process_holding(int file, struct flock lock)
{
	if (fcntl(file, F_GETLK, &lock) < 0 || lock.l_type != F_WRLCK) // a reader's is no run's
		return -1;
	return lock.l_pid > 0 ? lock.l_pid : 0;
}
