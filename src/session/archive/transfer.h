// Files copied into a session and out of one, while no command runs in it.
#pragma once

#include "session/apply/apply.h"

struct out;

// `path` is one of the box's: absolute, or relative to the project. Into a directory that is there
// the thing goes by its own name. Never through a symlink, on either side.
int transfer_in(struct store *store, struct held *held, const char *source, const char *path);
// To the host: what its own programs would run or trust (a git repository at any depth, and below
// `path` the names that projects' programs look for, and the files that settings name in commands)
// is left out and reported, unless forced or the host's own.
int transfer_out(struct store *store, const struct held *held, const char *path, const char *target,
		 enum force force, struct out *notes);
