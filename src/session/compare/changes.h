// What a session has changed: its layers compared with the host's directories as they are now.
//
// The room session/compare owns a session and the host side by side: changes, conflicts, what is
// withheld. Uses: base git names nouns session/store text. Begin with changes.c.
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "session/store/store.h"

struct change {
	enum change_kind {
		CHANGE_ADDED,
		CHANGE_EDITED,
		CHANGE_REMOVED,
		CHANGE_TYPE,
		CHANGE_MODE
	} kind;
	unsigned root;       // of the session
	const char *path;    // relative to it, never ""
	struct stat was, is; // on the host, in the session; zeroed where there is none
	int layer;           // index of the one that holds it, -1: removed
	bool covered;  // goes with a directory above that is added, removed or replaced as a whole
	bool guarded;  // your own programs would run or trust it: applied only when it is named
	bool inside;   // of a guarded one, which is reported instead
	bool conflict; // what the host has there is not what the session saw
	bool far;      // goes deeper than can be compared: left out
	bool marked;   // a file that was copied from one of the host's, which it now has not
	uint64_t parent;      // number of the host's directory that holds it, 0: it has none
	const char *moved_to; // CHANGE_REMOVED: where the file is by now, which is guarded
	const char *renamed;  // CHANGE_ADDED: the path of a removed file with the same bytes
};

struct changes {
	struct change *list;
	unsigned count, size;
	struct known *known; // what was applied before
	struct timespec base;
	uint64_t roots[ROOTS_MAX]; // number of each directory that was walked
	unsigned whiteouts;        // of the layers
	const char *too_far;       // a directory of the session whose content is left out, or NULL
};

// Whether another directory than the one that the session was made over will do, all of which is
// a conflict then.
enum project { PROJECT_SAME, PROJECT_ANY };

// Walks the layers alone, and looks at the host's files that they name. Sorted: a directory stands
// before what lies in it. The arena is a large one.
int changes_find(struct store *store, const struct held *held, enum project project,
		 struct changes *ret_changes);
