// Tar archives: POSIX pax (IEEE 1003.1), with what GNU tar and OCI layers add. Pure, hostile input.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct out;

enum { TAR_BLOCK = 512, TAR_EXTENDED_MAX = 1 << 20 };

struct tar_entry {
	char type; // '0' file, '1' hard link, '2' symlink, '5' directory, '6' FIFO, 'x' 'g' 'L' 'K'
		   // words for the next
	const char *name, *link;
	unsigned mode;
	uint64_t uid, gid, size;
	int64_t seconds;
	long nanoseconds;
	bool acl;    // there is an ACL, which is not read
	bool sparse; // the content is a list of parts, which is not read
};

// A header block: 1, 0 for the zeros at the end, -1 when it is none. Names of it lie in the arena.
int tar_header(struct arena *arena, const char block[TAR_BLOCK], struct tar_entry *ret_entry);

// The records of an 'x' or 'g' block's content: what they say replaces what the entry has. -1:
// damaged.
int tar_extend(struct arena *arena, const char *text, size_t length, struct tar_entry *entry);

// "a/b": relative, without '.', '..' and empty parts; a leading "./" or "/" and a trailing '/' are
// dropped. NULL when it leads out, or is empty.
const char *tar_path(struct arena *arena, const char *name);

// Headers of an entry as bytes; its content, padded to blocks, comes after.
void tar_put(struct out *out, const struct tar_entry *entry);

// The names at the top of `docker save`, `podman save` and an OCI layout, and in no layer: paths
// of these are no files of a session.
bool tar_is_of_image(const char *path);
