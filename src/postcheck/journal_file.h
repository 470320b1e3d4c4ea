// The file of a journal: its lines are read and replaced as a whole, so that a process that is
// killed in between leaves the old ones or the new ones.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postcheck/journal_lines.h"

struct out;

// fcntl(2)'s F_OFD_* for the byte `at`; of F_OFD_GETLK whether another process has it.
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
// Both only by the process that has locked byte 0: replaces all lines, or one that has the same
// length.
bool lines_store(int fd, const struct lines *old, const struct out *out);
bool lines_change(int fd, const struct lines *all, const struct journal_line *line);
