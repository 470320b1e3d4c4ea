// The walk over a session's layers and the host's directories side by side.
#pragma once

#include "session/compare/changes.h"
#include "session/compare/same.h"
#include "session/compare/withheld.h"
#include "session/store/merged.h"

enum { DEPTH_MAX = 256, PATH_BYTES_MAX = 3800 };

struct compare_walk {
	struct store *store;
	const struct session *session;
	struct changes *changes;
	unsigned root;
	const char *repository; // of a root that is git's: its place from ".git" on
	struct withheld names;
	struct seen seen; // of the root
	int depth;
	// Of the directory that is walked:
	bool covered, guarded, inside;
	bool lost;                          // gone from the host since
	enum same same;                     // with all above it
	uint64_t parent;                    // its number, 0: the host has none
	const struct seen_directory *above; // as it was
};

struct change *walk_add(struct compare_walk *walk, enum change_kind kind, const char *path);
const char *walk_below(struct compare_walk *walk, const char *path, const char *name);

// In a root that is git's the path from ".git" on, which the path of the root ends in.
const char *walk_whole(struct compare_walk *walk, const char *path);
// A new place in the host's directories, -1: none. What is there is compared with what was.
void walk_enter(struct compare_walk *walk, const char *path, int host);

// One that the host runs or trusts.
bool walk_is_protected(struct compare_walk *walk, const char *path);
// One that is too deep, or whose path is too long.
bool walk_is_too_far(const struct compare_walk *walk, const char *path);
