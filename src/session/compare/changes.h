// What a session has changed: its layers compared with the host's directories as they are now.
//
// The room session/compare owns a session and the host side by side: changes, conflicts, what is
// withheld. Uses: base apart git names nouns session/store text. Begin with changes.c.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/base.h"
#include "session/store/store.h"

struct arena;
struct stat;

struct change {
	enum change_kind {
		CHANGE_ADDED,
		CHANGE_EDITED,
		CHANGE_REMOVED,
		CHANGE_TYPE,
		CHANGE_MODE
	} kind;
	unsigned root;
	const char *path;    // never ""
	struct stat was, is; // zeroed: none
	int layer;           // -1: removed
	bool covered;        // with a directory above that is added, removed or replaced as a whole
	bool guarded;        // applied only if named
	bool waits;          // a pipe: guarded
	bool inside;         // inside of a guarded change, which is reported instead
	bool conflict;       // the host differs from what the session saw
	bool far;            // deeper than can be compared: left out
	bool selected;
	bool git, index;      // in git's directory; its index
	bool same, left;      // an index with the host's entries; see repository_leave_indexes()
	bool named;           // by a path in git's directory
	bool asked;           // the user wants to know why
	bool marked;          // copied from a host file that is gone
	uint64_t parent;      // of the host's directory, 0: none
	const char *moved_to; // CHANGE_REMOVED, guarded
	const char *renamed;  // CHANGE_ADDED: a removed file with the same bytes
	const char *refused;  // an index: why it is not applied, behind its name
	const char *text;     // an index as it is applied; NULL: as it is
	size_t length;
	uint64_t sum; // of its entries
};

struct changes {
	struct change *list;
	unsigned count, size;
	struct known *known;
	struct timespec base;
	uint64_t roots[ROOTS_MAX];
	unsigned whiteouts;
	const char *too_far; // NULL: none is left out
};

// In another project every change is a conflict.
enum project { PROJECT_SAME, PROJECT_ANY };

// Walks the layers alone. Sorted: a directory before its entries.
int changes_find(const struct held *held, enum project project, struct changes *ret_changes);

bool changes_has_inside(const struct changes *changes, unsigned index);

// Relative to the project, else absolute.
const char *change_name(const struct held *held, const struct change *change);

// Absolute, relative to the current directory, or to the project.
const char *select_path(const struct held *held, const char *word);

// `words` empty: all but guarded ones. -1: no change at a given path.
int select_changes(const struct held *held, struct changes *changes, char *const *words);

// Whole paths, read before anything is applied.
int mentioned_find(const struct held *held, const struct changes *changes, struct list *ret_files);

// Parts of a new repository: the host's git would run what its settings name.

// True once all is applied, but not now. `host` -1: no directory.
bool repository_is_new(const struct merged *merged, const char *name, int host);
void repository_guard(struct change *change);
// Of an index: what `change` says of one.
void repository_index(struct change *change, const struct merged *merged, const struct entry *entry,
		      int host);
// Where both sides wrote the index, and the session nothing else in git's directory.
void repository_leave_indexes(struct changes *changes);
// NULL, or from the uppermost `.git` on.
const char *repository_in(const char *path);
// Submodules and worktrees are known by their parts.
bool repository_is_elsewhere(const char *path);
// Without it git searches parent directories.
bool repository_loses(const char *path);
// With the session's `name`: nobody enters the directory, HEAD is invalid, or it is not a file or
// directory.
bool repository_breaks(int directory, const char *name, const char *path, const struct stat *is);

// Without ctime, which a rename changes.
struct thing {
	uint64_t inode, size, tree; // tree: sum over a directory's entries
	unsigned mode, links;
	struct timespec modified, changed;
};

struct thing thing_of(const struct stat *status);

// A directory with its entries. -1 with errno.
int thing_look(int directory, const char *name, struct thing *ret_thing);

// Each thing by its path from there ("a/b"), in any order.
uint64_t thing_part(const char *path, const struct stat *status);

bool thing_is(const struct thing *thing, const struct thing *now);

// fcntl(2), F_SETLEASE: a writer keeps writing wherever the file moves.
bool thing_is_open(int directory, const char *name);

// False: the file system refuses leases.
bool thing_can_be_asked(int directory);

bool thing_is_same(const struct thing *thing, const struct stat *status);
bool thing_moved(const struct thing *thing, int directory, const char *name);

// By descriptor, never through a symlink or out of the root.

int sides_parent(const struct held *held, const struct change *change, const char **ret_name);

int sides_host_root(const struct session *session, unsigned root);
int sides_host_below(int root, const char *path, const char **ret_name);
int sides_host_parent(const struct session *session, unsigned root, const char *path,
		      const char **ret_name);

// Of one type, but for their modes.
bool sides_are_same(int layer, int host, const char *name, const struct stat *is,
		    const struct stat *was);

// "": not a symlink. True: neither in a directory of the session nor of the system.
bool sides_leads_out(const struct held *held, const struct change *change, char ret_text[PATH_MAX]);

// By identity, not by name.
enum same {
	SAME_YES,
	SAME_NEW,   // made by the host since
	SAME_OTHER, // or unknown
};

enum same same_directory(const struct changes *changes, const struct seen *seen, unsigned root,
			 const char *path, int fd);

// Only applies of this session have changed it.
bool same_file(const struct known_file *known, const struct timespec *base,
	       const struct stat *status);

bool same_is_applied(const struct known_file *known, const struct stat *is, const struct stat *was);

// -1 with the error said unless the open directory is the root that the session was made over.
int same_root(const struct held *held, unsigned root, int fd, const struct seen *seen);

bool same_time(const struct timespec *left, const struct timespec *right);
bool same_is_later(const struct timespec *time, const struct timespec *than);

// Changes that are applied only if named.
struct withheld {
	struct arena *arena;
	const struct held *held;
	struct list everywhere;    // of hooks: below each work tree
	struct list named, around; // absolute; `around`: not for a root that lies in it
	const char *looked;
};

int withheld_begin(const struct held *held, struct withheld *ret_withheld);

// NULL: not git's own.
const char *withheld_repository(const char *root);

// Call in the order of the tree.
bool withheld_has(struct withheld *withheld, unsigned root, const char *path);

// Clears conflicts that a moved file only seems to have.
void renames_find(const struct held *held, struct changes *changes);
