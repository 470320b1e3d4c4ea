// What a session has changed: its layers compared with the host's directories as they are now.
//
// The room session/compare owns a session and the host side by side: changes, conflicts, what is
// withheld. Uses: base git names nouns session/store text. Begin with changes.c.
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/list.h"
#include "session/store/merged.h"
#include "session/store/store.h"

struct merged;
struct session;
struct stat;
struct store;

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
	const char *refused;  // an index of git's: why git would not write it, or NULL
	const char *text;     // an index: as it is applied; NULL: as the session has it
	size_t length;
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

// Which changes are meant.

// For each change. Of one that was asked for and is not selected the user wants to know why.
struct selection {
	bool *selected, *asked;
};

// `words` (NULL-terminated) are paths, absolute or relative to the current directory, or, outside
// of the project, to the project. None at all: every change but guarded ones, which have to be
// named themselves. -1 when nothing has changed at one of them.
int select_changes(struct store *store, const struct held *held, const struct changes *changes,
		   char *const *words, struct selection *ret_selection);

// Files of a session's directories that the host's own settings name in commands which start by
// themselves, as postcheck/commands.h has them for a run.
struct mentioned {
	struct list files, programs; // whole paths; of the second all that is in them
};

// Reads the settings of the host, before anything is applied: those of each root, and of the
// repositories around a change.
void mentioned_find(struct store *store, const struct session *session,
		    const struct changes *changes, struct mentioned *ret_mentioned);

// Whether `path` in a root is one, lies in one, or holds one.
bool mentioned_has(const struct store *store, const struct mentioned *mentioned, const char *root,
		   const char *path);

// Repositories that a session has made: git of the host would run what their settings name.

// Whether git would take the directory `name` for a repository once all is applied, and does not
// now. `host` is the host's directory, -1 for none.
bool repository_is_new(const struct merged *merged, const char *name, int host);
// Of such a root: guards a change of what git reads there.
void repository_guard(struct change *change);
// Reads an index of git's that the session has at `entry`: change->refused and change->text, in an
// arena that lives as long as the process. Other things stay as they are.
void repository_index(struct change *change, const struct merged *merged, const struct entry *entry,
		      int host);
// Whether git has no repositories of submodules and worktrees at `path`, in a .git of it or not:
// those are known by their parts.
bool repository_is_elsewhere(const char *path);
// Whether a .git without the file at `path` is no repository: git then searches elsewhere.
bool repository_loses(const char *path);
// Whether one is none with what the session has at `name` of `directory`, which is `path`: of such
// a mode nobody enters it, HEAD says nothing that git knows, or it is neither a file nor a
// directory in a .git.
bool repository_breaks(int directory, const char *name, const char *path, const struct stat *is);
