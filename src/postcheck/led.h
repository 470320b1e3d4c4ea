// Directories of a tree that symlinks in a share lead to: who follows such a link works there, so
// they are checked as one of the share's.
#pragma once

#include <stdbool.h>

struct arena;
struct share;

struct led {
	struct arena *arena;
	const char **paths; // below the tree
	unsigned count, room;
};

// A symlink at `path`, below the open root of `tree`. It is followed in the tree only.
void led_follow(struct led *led, const struct share *share, int root, const char *tree,
		const char *path);
