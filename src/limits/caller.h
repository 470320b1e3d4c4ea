// Whose limits the caller stands in: those of the cgroups (v2) from its own up to the top.
#pragma once

#include <stdint.h>

enum { CALLER_MAX = 64 };

// What a group sets for all that is in it.
struct caller_limit {
	char what[CALLER_MAX]; // "memory.max=104857600", "" for none that must not be left
	uint64_t pids;         // may be taken along to another group; UNLIMITED: none
};
void caller_look(const char *directory, struct caller_limit *ret_limit);
