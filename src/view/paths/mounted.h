// The table of mounts as the kernel writes it, and what it proves.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

// One line of proc_pid_mountinfo(5), names without their escapes.
struct mounted {
	uint64_t id, device;
	const char *root, *point; // in the file system, and in the view
	bool writable;            // the mount and its file system are
};
struct mounts {
	struct mounted *list;
	unsigned count;
};
enum { MOUNTED_MAX = 16384 };

// Pure: 0, or -1 when a line is none of the kernel's or there are too many.
int mounted_parse(struct arena *arena, const char *text, size_t length, struct mounts *ret);

// Of this process; -1 when it cannot be read whole.
int mounted_read(struct arena *arena, struct mounts *ret);

const struct mounted *mounted_find(const struct mounts *mounts, uint64_t id);

// Whether a writable mount shows what lies at `path`, in the mount `id`, by another path, too.
bool mounted_elsewhere(const struct mounts *mounts, uint64_t id, const char *path);

// Whether something that is mounted below `path` can be written.
bool mounted_opens(const struct mounts *mounts, const char *path);
