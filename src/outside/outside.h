// Where boxes may write, as far as this run's plan tells: for what sbx writes, reads or starts
// outside of the box while it lives. By descriptor, after the view was decided.
//
// The room outside owns where that may lie. Uses: base nouns. Begin with outside_look().
#pragma once

#include <limits.h>
#include <stdbool.h>

struct mount;
struct plan;
struct stat;

enum outside {
	OUTSIDE_NOT,
	OUTSIDE_BOXES,   // sbx's own state, a session's part, a place that this box writes
	OUTSIDE_BOX,     // this box writes it or one above it, by whatever name
	OUTSIDE_UNKNOWN, // errno says why
};
// Whether the directory is in such a place; `ret_place` is its path, for a message.
enum outside outside_look(const struct plan *plan, int directory, const char **ret_place);
// Whether the box writes what has this real path, in the view as it is decided.
bool outside_writes(const struct plan *plan, const char *path);
// The mount by which the box writes this very thing, or NULL.
const struct mount *outside_written(const struct plan *plan, const struct stat *status);
// Whether the box writes a directory of the home by which programs are steered: one with a dot.
bool outside_steers(const struct plan *plan);
// The path of a descriptor as the kernel has it. -1 with errno.
int outside_path(int fd, char path[PATH_MAX]);
