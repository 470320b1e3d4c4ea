// What a command in a box leaves in a git directory: locks, and names of refs.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct check;
struct plan;

// Removes a lock of git's that came during the run, unless its owner is alive: a lock that goes by
// itself within a moment, or while a git of the host runs that began before. Then it is reported.
void leftover_take_lock(const struct check *check, int directory, const char *name,
			const char *path);
// Whether a ref's name has only characters that mean nothing to a shell, and is no option.
bool leftover_is_plain(const char *ref);
// Whether the ref at `path` is of a remote that is another host: without a network nobody asked
// that. `root`: the length of the git directory's path.
#define LEFTOVER_REMOTES "refs/remotes/"
bool leftover_is_unasked(const struct plan *plan, const char *path, size_t root);
