// What earlier applies of a session have written, so that its own changes are never taken for the
// host's.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct arena;
struct held;
struct out;
struct store;

// What earlier applies have written: inode and ctime of each path that was put, replaced, or put
// back after a failure.
struct known_file {
	unsigned root;
	const char *path;
	uint64_t inode;
	struct timespec changed;
};
struct known {
	struct known_file *files; // sorted
	unsigned count;
};
// Hostile input: bounded, no I/O.
enum { KNOWN_BYTES_MAX = 1 << 30 };
int known_parse(struct arena *arena, const char *text, size_t length, struct known *ret_known);
void known_format(const struct known *known, struct out *out);

// NULL: no apply has touched the path. KNOWN_REMOVED: it has removed what stood there.
enum { KNOWN_REMOVED = 0 };
const struct known_file *known_find(const struct known *known, unsigned root, const char *path);

// Sorts, and of two entries for one path keeps the later.
void known_order(struct known *known);

// Of a session that is held; nothing at first.
int known_read(struct store *store, const struct held *held, struct known **ret_known);
