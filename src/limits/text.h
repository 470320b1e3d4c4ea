// What the kernel says of groups and processes, taken apart. Pure; each has a fuzz target.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The path in /proc/PID/cgroup of the hierarchy with this controller ("": cgroup v2). False when
// there is none, when it is longer than `size` or leads out of what this process may see.
bool text_group(const char *text, size_t length, const char *controller, char *path, size_t size);

// A line "name 123", as in cpu.stat and memory.events; 0 when there is none.
uint64_t text_value(const char *text, size_t length, const char *name);

// The bytes of "name:   123 kB", as in /proc/meminfo; 0 when there is none.
uint64_t text_kilobytes(const char *text, size_t length, const char *name);

// The sum of "name=123" of all lines, as in io.stat.
uint64_t text_sum(const char *text, size_t length, const char *name);

// A whole word of a list, as in cgroup.controllers.
bool text_has(const char *text, size_t length, const char *word);

// What is of use in /proc/PID/stat (proc_pid_stat(5)).
struct text_process {
	char state;
	uint64_t ticks; // of processors, of its reaped children too
	uint64_t threads;
	uint64_t pages; // in memory
};
bool text_process(const char *text, size_t length, struct text_process *ret_process);
