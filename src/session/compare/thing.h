// What a file or a tree is, so that it is known again after it was moved.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

struct change;
struct session;
struct store;

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

// The two sides of a change: the session's file, and the host's directory. By descriptor, never
// through a symlink, never out of the root; -1 and an error when there is none.

// A file of the session for reading: O_RDONLY, or -1 and an error.
int sides_open(const struct store *store, const struct session *session,
	       const struct change *change);

// The directory that holds a change in its layer, and the name there.
int sides_parent(const struct store *store, const struct session *session,
		 const struct change *change, const char **ret_name);

// Of the host, never through a symlink, never out of the root: the root, and the directory that
// holds a path in it.
int sides_host_root(const struct session *session, unsigned root);
int sides_host_below(int root, const char *path, const char **ret_name);
int sides_host_parent(const struct session *session, unsigned root, const char *path,
		      const char **ret_name);
