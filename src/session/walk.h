// The walk over a session's layers and the host's directories side by side.
#pragma once

#include "session/changes.h"
#include "session/merged.h"
#include "session/same.h"
#include "session/withheld.h"

enum { DEPTH_MOST = 256, PATH_LONGEST = 3800 };

struct walk {
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

// What goes when the session has removed or replaced `name`, which the host has.
int walk_note_removed(struct walk *walk, const char *path, const char *name, int host,
		      const struct stat *was);
int walk_note_inside(struct walk *walk, const char *path, const char *name, int host);

struct change *walk_add(struct walk *walk, enum change_kind kind, const char *path);
const char *walk_below(struct walk *walk, const char *path, const char *name);

// A new place in the host's directories, -1: none. What is there is compared with what was.
void walk_enter(struct walk *walk, const char *path, int host);

// One that is too deep, or whose path is too long.
bool walk_is_too_far(const struct walk *walk, const char *path);
