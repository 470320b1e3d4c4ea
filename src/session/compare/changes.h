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
	unsigned root;       // of the session
	const char *path;    // relative to it, never ""
	struct stat was, is; // on the host, in the session; zeroed where there is none
	int layer;           // index of the one that holds it, -1: removed
	bool covered;  // goes with a directory above that is added, removed or replaced as a whole
	bool guarded;  // your own programs would run or trust it: applied only when it is named
	bool waits;    // a pipe, for which your own programs would wait: guarded
	bool inside;   // of a guarded one, which is reported instead
	bool conflict; // what the host has there is not what the session saw
	bool far;      // goes deeper than can be compared: left out
	bool selected; // by select_changes(), as the next one, or shown
	bool asked;    // where it is not selected, the user wants to know why
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

// Whether there are changes in the directory that is number `index`.
bool changes_has_inside(const struct changes *changes, unsigned index);

// Its path as it can be named: relative to the project, else absolute.
const char *change_name(struct arena *arena, const struct session *session,
			const struct change *change);

// Which changes are meant.

// A path that is absolute, or relative to the current directory, or, outside of the project, to
// that.
const char *select_path(struct arena *arena, const struct session *session, const char *word);

// `words` (NULL-terminated) are paths as of select_path(). None at all: every change but guarded
// ones, which have to be named themselves. -1 when nothing has changed at one of them.
int select_changes(struct store *store, const struct held *held, struct changes *changes,
		   char *const *words);

// Files of a session's directories that the host's own hooks, .envrc and git's configuration name,
// as postcheck/check.h has them for a run: whole paths, read before anything is applied.
int mentioned_find(struct store *store, const struct session *session,
		   const struct changes *changes, struct list *ret_files);

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

// What a file or a tree is, so that it is known again after it was moved.

// What identifies a file or a tree. A rename changes its ctime, so that a moved one is known by
// the rest.
struct thing {
	uint64_t inode, size, tree; // tree: sum over the entries of a directory
	unsigned mode, links;
	struct timespec modified, changed;
};

// Of the status alone: a directory's tree is 0.
struct thing thing_of(const struct stat *status);

// With its entries, when it is a directory. -1 with errno.
int thing_look(int directory, const char *name, struct thing *ret_thing);

// The sum of a tree, of each thing in it by its path from there ("a/b"), in any order.
uint64_t thing_part(const char *path, const struct stat *status);
uint64_t thing_sum(uint64_t sum, uint64_t part);

// A copy that nobody has touched.
bool thing_is(const struct thing *thing, const struct thing *now);

// Whether some program has it, or a file in it, open for writing (fcntl(2), F_SETLEASE): it writes
// wherever the file goes.
bool thing_is_open(int directory, const char *name);

// Whether the file system of a directory of ours can say so: some refuse each lease.
bool thing_can_be_asked(int directory);

// At its place, by a look at the status; or anywhere, as a whole.
bool thing_is_same(const struct thing *thing, const struct stat *status);
bool thing_moved(const struct thing *thing, int directory, const char *name);

// The two sides of a change: the session's file, and the host's directory. By descriptor, never
// through a symlink, never out of the root; -1 and an error when there is none.

// The directory that holds a change in its layer, and the name there.
int sides_parent(const struct store *store, const struct session *session,
		 const struct change *change, const char **ret_name);

// Of the host, never through a symlink, never out of the root: the root, and the directory that
// holds a path in it.
int sides_host_root(const struct session *session, unsigned root);
int sides_host_below(int root, const char *path, const char **ret_name);
int sides_host_parent(const struct session *session, unsigned root, const char *path,
		      const char **ret_name);

// What a symlink of the session says, "" for another thing. True when that is neither in a
// directory of the session nor of the system, which a box sees.
bool sides_leads_out(const struct store *store, const struct session *session,
		     const struct change *change, char ret_text[PATH_MAX]);

// A set of paths, and whether another path is below one. Pure.

struct pathset {
	const char **paths; // sorted by pathset_order()
	unsigned count, size;
};

void pathset_add(struct pathset *set, struct arena *arena, const char *path);

// To be called once, after the last path was added.
void pathset_order(struct pathset *set);

// Whether `path` is one of them, or lies below one: a search for each directory above it. Clean
// paths, all relative or all absolute.
bool pathset_has(const struct pathset *set, const char *path);

// The walk over a session's layers and the host's directories side by side.

// Whether a thing of the host is the one that the session saw: by what it is, not by its name.
enum same {
	SAME_YES,
	SAME_NEW,   // made by the host since: there was none
	SAME_OTHER, // another one stands there, or nobody knows
};

// An open directory of the host, all above which is the same.
enum same same_directory(const struct changes *changes, const struct seen *seen, unsigned root,
			 const char *path, int fd);

// A file, in a directory that is the same: nobody but an apply of this session has
// touched it.
bool same_file(const struct changes *changes, unsigned root, const char *path,
	       const struct stat *status);

// A file that an apply has put there as the session still has it.
bool same_is_applied(const struct changes *changes, unsigned root, const char *path,
		     const struct stat *is, const struct stat *was);

// The host has removed or moved away what stood at the path, of which nothing is there now.
bool same_is_lost(const struct changes *changes, const struct seen *seen,
		  const struct seen_directory *above, unsigned root, const char *path);

// -1 with the error said unless the open directory is the root that the session was made over.
int same_root(const struct held *held, unsigned root, int fd, const struct seen *seen);

bool same_time(const struct timespec *left, const struct timespec *right);
bool same_is_later(const struct timespec *time, const struct timespec *than);

// What of a session's changes the host would run or trust: applied only when it is named.
struct withheld {
	struct arena *arena;
	struct withheld_root {
		const char *repository; // its place from ".git" on, NULL for one that is not git's
		bool whole;             // all of it is
		struct pathset paths;   // relative to it
		const char *place;      // NULL: not compared
	} roots[ROOTS_MAX];
	const char *looked; // the directory that was looked through last for links
};

// Reads the list of the profiles that runs were given, what git's configuration names, and what
// the home's programs run or trust; -1 with the error said.
int withheld_begin(const struct store *store, const struct session *session,
		   struct withheld *ret_withheld);

// A root's place from ".git" on, NULL for one that is not git's own.
const char *withheld_repository(const char *root);

// Whether `path` in a root of the session's is. Paths are asked for in the order of the tree.
bool withheld_has(struct withheld *withheld, unsigned root, const char *path);

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
	bool inside_removed;
	unsigned removed;                   // the change of the uppermost removed directory around
	bool lost;                          // gone from the host since
	enum same same;                     // with all above it
	uint64_t parent;                    // its number, 0: the host has none
	const struct seen_directory *above; // as it was
};

struct change *walk_add(struct compare_walk *walk, enum change_kind kind, const char *path);
const char *walk_below(struct compare_walk *walk, const char *path, const char *name);

// In a root that is git's the path from ".git" on, which the path of the root ends in.
const char *walk_whole(struct compare_walk *walk, const char *path);
// A new place in the host's directories, -1: none. It is compared with the one that was there.
void walk_enter(struct compare_walk *walk, const char *path, int host);

// One that is too deep, or whose path is too long.
bool walk_is_too_far(const struct compare_walk *walk, const char *path);

// A name that the session has removed, with all that goes with it; or what goes with a directory
// that is noted already, which is the last change.

// `name` lies in `host`, at `path` from the root; its status there is `was`.
int removed_note(struct compare_walk *walk, const char *path, const char *name, int host,
		 const struct stat *was);
int removed_note_inside(struct compare_walk *walk, const char *path, const char *name, int host);

// Which added file was a removed one before.

// Fills `renamed` and clears conflicts that a moved file only seems to have.
void renames_find(struct store *store, const struct held *held, struct changes *changes);
