// What a file or a tree is, so that it is known again after it was moved.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

// What identifies a file or a tree. A rename changes its ctime, so that a moved one is known by
// the rest.
struct thing {
	uint64_t inode, size, tree; // tree: sum over what lies in a directory
	unsigned mode, links;
	struct timespec modified, changed;
};

// Of the status alone: a directory's tree is 0.
struct thing thing_of(const struct stat *status);

// With what lies in it, when it is a directory. -1 with errno.
int thing_look(int directory, const char *name, struct thing *ret_thing);

// The sum of a tree, of each thing in it by its path from there ("a/b"), in any order.
uint64_t thing_part(const char *path, const struct stat *status);
uint64_t thing_sum(uint64_t sum, uint64_t part);

// A copy that nobody has touched.
bool thing_is(const struct thing *thing, const struct thing *now);

// Whether some program has it, or a file in it, open for writing (fcntl(2), F_SETLEASE): it writes
// wherever the file goes.
bool thing_is_open(int directory, const char *name);

// Whether the file system of a directory of ours can say so: some refuse each lease.
bool thing_can_be_asked(int directory);

// At its place, by a look at the status; or anywhere, as a whole.
bool thing_is_same(const struct thing *thing, const struct stat *status);
bool thing_moved(const struct thing *thing, int directory, const char *name);
