// A second filter that asks the supervisor: of tier landlock what Landlock does not see, of
// --explain what may be refused.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan;
struct run;

// One row is a test of calls; the first that holds decides.
struct asking {
	const char *calls; // names with blanks between; those that this machine lacks are left out
	unsigned argument; // that is tested, or ASKING_ALWAYS
	uint32_t mask, value;
	enum { ASKING_IS, ASKING_IS_NOT } test;
	uint32_t answer; // SECCOMP_RET_*
	unsigned modes;  // bits: the row counts when one of these is asked for
	uint32_t family; // of socket, besides: the first argument, 0 for any
};
enum { ASKING_ALWAYS = 6 };
enum { ASKING_TERMINAL = 'T' }; // the letter of its requests (ioctl-number.rst)

// Makes plan->asking of the rows, and of those of a run in the background; what no row speaks of is
// allowed.
int asking_compile(struct plan *plan, const struct asking *rows, unsigned count, unsigned modes);

// Refuses rings: what they ask for is seen by no filter.
int asking_refuse_rings(const struct plan *plan);

// Box side: loads it, if there is one, and hands its listener to the host side.
int asking_child(const struct plan *plan, struct run *run);

// Host side: a listener that has come. Who asks and who answers take turns on one processor where
// the kernel can (6.6).
void asking_begin(int listener);

// The name of a call, "" for one without.
const char *asking_call(int number);

// Copies of the asker's memory. False when it is not there, or no path ends there.
bool asking_memory(uint32_t pid, uint64_t address, void *buffer, size_t size);
bool asking_path(uint32_t pid, uint64_t address, char path[PATH_MAX]);
