// The file of a journal: its lines are read, added to and replaced so that whoever is killed in
// between leaves the old ones or the new. All but lines_lock() by who holds the lock of byte 0, or
// reads.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postcheck/journal_lines.h"

struct out;

// fcntl(2)'s F_OFD_* for the byte `at`; of F_OFD_GETLK whether somebody else has it.
int lines_lock(int fd, int command, short type, uint64_t at);

// The lines of a journal. Those of a small one are in memory that the next lines_load() uses again.
struct lines {
	struct journal_place place;
	const char *text;
	size_t length;
	char *taken;
};

bool lines_load(int fd, struct lines *ret);
void lines_unload(struct lines *lines);
bool lines_append(int fd, const struct out *out);
void lines_replace(int fd, struct journal_place old, const struct out *out);
