// Tar archives: POSIX pax (IEEE 1003.1), with what GNU tar and OCI layers add. Pure, hostile input.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct out;

enum { TAR_BLOCK = 512, TAR_EXTENDED_MAX = 1 << 20, TAR_ATTRIBUTES_MAX = 64 };

struct tar_attribute {
	const char *name, *value;
	size_t length;
};

struct tar_entry {
	char type; // '0' file, '1' hard link, '2' symlink, '5' directory, '6' FIFO, 'x' 'g' 'L' 'K'
		   // words for the next
	const char *name, *link;
	unsigned mode;
	uint64_t uid, gid, size;
	int64_t seconds;
	long nanoseconds;
	struct tar_attribute attributes[TAR_ATTRIBUTES_MAX];
	unsigned attribute_count;
	const char *access, *given; // ACLs as text (acl.h), or NULL
	// A file with holes: `size` is that in the archive.
	enum tar_sparse { TAR_WHOLE, TAR_SPARSE, TAR_SPARSE_OLD } sparse;
	uint64_t real_size;
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

// Files with holes in archives: version 1.0 of GNU tar's form for pax, a list of the parts that are
// not holes in front of their bytes. See "Storing Sparse Files" in tar's manual.

struct sparse_part {
	uint64_t at, size;
};

struct sparse {
	struct sparse_part *list;
	unsigned count, size;
	uint64_t bytes; // of all parts
	// While a list is read:
	uint64_t number, wanted, numbers; // wanted: parts; numbers: how many were read
	bool digits;
};

// The parts of an open file, at multiples of a block of tar's; all but the last end at one.
void sparse_find(struct arena *arena, int fd, uint64_t size, struct sparse *ret_sparse);

// The list as text, padded to blocks.
void sparse_put(struct out *out, const struct sparse *sparse);

// The next block of a list, for a file of `size` bytes: 1 when the list is complete, 0 when it goes
// on. -1: damaged. Pure, hostile input.
int sparse_feed(struct arena *arena, struct sparse *sparse, const char *block, uint64_t size);
