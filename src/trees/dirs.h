// Directories as a look has seen them, in the order of a walk: one with the same inode and ctime
// has the same names in it, so that a later look need not read it. Behind each directory the files
// in it that are checked each time. A file of sbx's state.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_state.h"

struct arena;
struct stat;

struct dirs_row {
	uint64_t device, inode;
	int64_t changed; // ctime in nanoseconds; 0: it has to be read in any case
	unsigned depth;  // of the root 0
	bool always;     // it is read each time
	bool file;       // one that is looked at each time, in the directory before it
	bool centre;     // in the list of a share: those directly below it are rows, too
	const char *name;
	size_t at; // of the row in the text
};

enum { DIRS_BYTES_MAX = 48 << 20, DIRS_DEPTH_MAX = 256 };
struct dirs {
	const char *text;           // a head, and the rows
	char *own;                  // the same, where it was made here and grows; NULL: it was read
	size_t length, size, begin; // of the rows
	bool whole;                 // of the tree; false: up to where a look was cut, or a part
	struct file_state index;    // of git, by which a part was chosen (trees/share.h)
};

// Pure: the row at `*at`, and the place behind it; false at the end, or where the bytes are none.
bool dirs_next(const char *text, size_t length, size_t *at, struct dirs_row *ret_row);
// Where the rows begin, or 0 when it was not written in this boot by a program with this table of
// names. NULL: in any boot.
size_t dirs_begin(const char *text, size_t length, const char *boot);

bool dirs_read(struct arena *arena, const char *file, const char *boot, struct dirs *ret_seen);
// Nothing is reported: without it a look reads all directories.
void dirs_write(struct dirs *seen, const char *file, const char *boot);
// Only where it differs from the old one.
void dirs_write_changed(struct dirs *seen, const struct dirs *old, const char *file,
			const char *boot);

// A row; `settled`: what was changed at that time or later could change once more in the same tick.
// Both return its place in the text.
size_t dirs_add(struct dirs *seen, const struct stat *status, unsigned depth, const char *name,
		int64_t settled);
size_t dirs_copy(struct dirs *seen, const struct dirs_row *row);
void dirs_set_always(struct dirs *seen, size_t at);
void dirs_set_centre(struct dirs *seen, size_t at);
void dirs_set_unread(struct dirs *seen, size_t at);
void dirs_free(struct dirs *seen);

bool dirs_is_same(const struct dirs_row *row, const struct stat *status, int64_t since);
