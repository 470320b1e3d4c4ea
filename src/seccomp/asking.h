// The second filter passes calls to the supervisor: in tier landlock calls that Landlock does not
// see, for --explain calls that may be refused.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan;
struct run;

// A test of calls. The first row that holds decides.
struct asking {
	const char *calls;
	unsigned argument; // index of the tested argument, or ASKING_ALWAYS
	uint32_t mask, value;
	enum { ASKING_IS, ASKING_IS_NOT } test;
	uint32_t answer;
	unsigned modes;
	uint32_t family; // the first argument, a socket's family; 0: any
};
enum { ASKING_ALWAYS = 6 };
enum { ASKING_TERMINAL = 'T' };

// Calls without a row are allowed.
int asking_compile(struct plan *plan, const struct asking *rows, unsigned count, unsigned modes);

// Refuses the group io_uring: no filter sees the operations of io_uring.
int asking_refuse_rings(const struct plan *plan);

int asking_child(const struct plan *plan, struct run *run);

// Makes the asking and answering threads take turns on one processor (Linux 6.6).
void asking_begin(int listener);

const char *asking_call(int number);

bool asking_memory(uint32_t pid, uint64_t address, void *buffer, size_t size);
bool asking_path(uint32_t pid, uint64_t address, char path[PATH_MAX]);
