// A second filter that asks the supervisor: of tier landlock what Landlock does not see, of
// --explain what may be refused.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan;
struct run;

// A test of calls; the first that holds decides.
struct asking {
	const char *calls; // those that this machine lacks are left out
	unsigned argument; // or ASKING_ALWAYS
	uint32_t mask, value;
	enum { ASKING_IS, ASKING_IS_NOT } test;
	uint32_t answer;
	unsigned modes;
	uint32_t family; // of socket: the first argument, 0 for any
};
enum { ASKING_ALWAYS = 6 };
enum { ASKING_TERMINAL = 'T' }; // the letter of its requests (ioctl-number.rst)

// What no row speaks of is allowed.
int asking_compile(struct plan *plan, const struct asking *rows, unsigned count, unsigned modes);

// What rings ask for no filter sees.
int asking_refuse_rings(const struct plan *plan);

int asking_child(const struct plan *plan, struct run *run);

// Asker and answerer take turns on one processor where the kernel can (6.6).
void asking_begin(int listener);

// The name of a call, "" for one without.
const char *asking_call(int number);

// False: it is not there, or no path ends there.
bool asking_memory(uint32_t pid, uint64_t address, void *buffer, size_t size);
bool asking_path(uint32_t pid, uint64_t address, char path[PATH_MAX]);
