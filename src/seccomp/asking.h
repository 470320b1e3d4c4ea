// A second filter that asks the supervisor: in tier landlock about what Landlock does not see, for
// --explain about calls that may be refused.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan;
struct run;

// A test of calls; the first that holds decides.
struct asking {
	const char *calls;
	unsigned argument; // or ASKING_ALWAYS
	uint32_t mask, value;
	enum { ASKING_IS, ASKING_IS_NOT } test;
	uint32_t answer;
	unsigned modes;
	uint32_t family; // of socket: the first argument, 0 for any
};
enum { ASKING_ALWAYS = 6 };
enum { ASKING_TERMINAL = 'T' };

// Calls without a row are allowed.
int asking_compile(struct plan *plan, const struct asking *rows, unsigned count, unsigned modes);

// No filter sees the operations of io_uring.
int asking_refuse_rings(const struct plan *plan);

int asking_child(const struct plan *plan, struct run *run);

// Both sides take turns on one processor (Linux 6.6).
void asking_begin(int listener);

const char *asking_call(int number);

bool asking_memory(uint32_t pid, uint64_t address, void *buffer, size_t size);
bool asking_path(uint32_t pid, uint64_t address, char path[PATH_MAX]);
