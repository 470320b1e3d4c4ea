// The room session/compare owns the comparison of a session's layers with the host's present
// directories: changes, conflicts, withheld paths. Uses: base, apart, git, names, nouns,
// session/store, text. Begin with changes.c.
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
	const char *path;    // relative to the root, never ""
	struct stat was, is; // on the host; in the session; zero: none
	int layer;           // layer with the entry; -1: removed
	bool covered;        // a directory above is added, removed or replaced as a whole
	bool guarded;        // applied only if the user names it
	bool waits;          // a pipe: host programs would wait for it
	bool inside;         // below a guarded change, which is reported instead
	bool conflict;       // the host differs from what the session saw
	bool far;            // too deep to be compared: left out
	bool selected;
	bool git, index;      // path is in a git directory; it is git's index or a part of one
	bool trace;           // a log, which git does not need
	bool left;            // repository_leave() omits it
	bool named;           // the user named it by a path in a git directory
	bool asked;           // the user named it: a refusal is explained
	bool marked;          // has overlayfs's mark of a host file, which is gone
	uint64_t parent;      // inode of the host's directory; 0: none
	const char *moved_to; // guarded removal: new path of the file, or NULL
	const char *renamed;  // CHANGE_ADDED: a removed file with the same bytes
	const char *refused;  // why the index is not applied: text after its name
	const char *text;     // the index to apply; NULL: the session's file
	size_t length;
	uint64_t sum, was_sum; // of the index's entries; 0: not git's
};

struct changes {
	struct change *list;
	unsigned count, size;
	struct known *known;
	struct timespec base;
	uint64_t roots[ROOTS_MAX];
	unsigned whiteouts;
	const char *too_far; // a directory that is left out, or NULL
};

// PROJECT_ANY: allows another project, in which every change is a conflict.
enum project { PROJECT_SAME, PROJECT_ANY };

// Lists changes by a walk of the layers, sorted, directories before their entries.
int changes_find(const struct held *held, enum project project, struct changes *ret_changes);

bool changes_has_inside(const struct changes *changes, unsigned index);

// Returns the path below the project, or an absolute one.
const char *change_name(const struct held *held, const struct change *change);

// `word`: absolute, relative to the current directory, or to the project.
const char *select_path(const struct held *held, const char *word);

// Selects the changes at `words`; if empty, all but guarded ones. Returns -1 when a path has no
// change.
int select_changes(const struct held *held, struct changes *changes, char *const *words);

// Lists absolute paths of files that the host's hooks and git's configuration name. Called before
// anything is applied.
int mentioned_find(const struct held *held, const struct changes *changes, struct list *ret_files);

// Parts of a new repository are guarded: the host's git would run what its settings name.

enum repository {
	REPOSITORY_NONE,
	REPOSITORY_OWN, // git takes the host's directory for a git directory
	REPOSITORY_NEW, // becomes one when all is applied
};
// `host` -1: the host has no directory.
enum repository repository_kind(const struct merged *merged, const char *name, int host);
bool repository_is_part(const char *path);
// Fills the members of `change` that are about an index.
void repository_index(struct change *change, const struct merged *merged, const struct entry *entry,
		      int host);
// Leaves out what both sides wrote: traces, and an index if the session changed no more in git
// directories.
void repository_leave(struct changes *changes);
bool repository_is_trace(const char *path);
// Returns the path from its uppermost `.git` on, or NULL.
const char *repository_in(const char *path);
// Returns false for git directories of submodules and worktrees, whose parts are guarded.
bool repository_is_elsewhere(const char *path);
// Whether git, without this part, would search parent directories for a repository.
bool repository_loses(const char *path);
// Whether the session's `name` makes the repository unusable: it is unreadable, an invalid HEAD, or
// not a file or directory.
bool repository_breaks(int directory, const char *name, const char *path, const struct stat *is);

// The identity of a file or directory. thing_moved() ignores ctime, which a rename changes.
struct thing {
	uint64_t inode, size, tree; // tree: sum over a directory's entries
	unsigned mode, links;
	struct timespec modified, changed;
};

struct thing thing_of(const struct stat *status);

// *ret_thing of a directory has the sum of its entries. Returns -1 with errno.
int thing_look(int directory, const char *name, struct thing *ret_thing);

// Returns what an entry adds to a directory's sum. `path` is below the directory ("a/b"). The order
// does not matter.
uint64_t thing_part(const char *path, const struct stat *status);

bool thing_is(const struct thing *thing, const struct thing *now);

// Whether a process has the file open for writing (fcntl(2), F_SETLEASE).
bool thing_is_open(int directory, const char *name);

// Whether the file system supports leases.
bool thing_can_be_asked(int directory);

bool thing_is_same(const struct thing *thing, const struct stat *status);
bool thing_moved(const struct thing *thing, int directory, const char *name);

// Opens both sides of a change by descriptors, never through a symlink or out of the root.

int sides_parent(const struct held *held, const struct change *change, const char **ret_name);

int sides_host_root(const struct session *session, unsigned root);
int sides_host_below(int root, const char *path, const char **ret_name);
int sides_host_parent(const struct session *session, unsigned root, const char *path,
		      const char **ret_name);

// Compares two files of one type, without modes.
bool sides_are_same(int layer, int host, const char *name, const struct stat *is,
		    const struct stat *was);

// Whether a symlink leads out of the session's and the system's directories. `ret_text`: its
// target, "": not a symlink.
bool sides_leads_out(const struct held *held, const struct change *change, char ret_text[PATH_MAX]);

// Compares a host directory with the one at the session's begin, by identity, not by name.
enum same {
	SAME_YES,
	SAME_NEW,   // the host made it since
	SAME_OTHER, // another file, or unknown
};

enum same same_directory(const struct changes *changes, const struct seen *seen, unsigned root,
			 const char *path, int fd);

// Whether only applies have changed the file since the session's begin.
bool same_file(const struct known_file *known, const struct timespec *base,
	       const struct stat *status);

bool same_is_applied(const struct known_file *known, const struct stat *is, const struct stat *was);

// Whether the entries of the host's index have the `sum` of the last apply (`applied`), or, if that
// is NULL, of the session's begin.
bool same_entries(const struct known *known, const struct known_file *applied,
		  const struct seen_directory *saw, const char *path, uint64_t sum);

// Returns -1 and reports if `fd` is not the root of the session's begin.
int same_root(const struct held *held, unsigned root, int fd, const struct seen *seen);

bool same_time(const struct timespec *left, const struct timespec *right);
bool same_is_later(const struct timespec *time, const struct timespec *than);

// Paths whose changes are applied only if the user names them.
struct withheld {
	struct arena *arena;
	const struct held *held;
	struct list everywhere;    // hook directories, relative to each work tree
	struct list named, around; // absolute paths; those of `around` count only below a root
	const char *looked;
};

int withheld_begin(const struct held *held, struct withheld *ret_withheld);
void withheld_repositories(struct withheld *withheld, unsigned root, const struct seen *seen);

// Returns the path from ".git" on when the root is in a git directory, or NULL.
const char *withheld_repository(const char *root);

// Called for directories before their entries.
bool withheld_has(struct withheld *withheld, unsigned root, const char *path);

// Finds moved files, and conflicts with files that the host removed.
void renames_find(const struct held *held, struct changes *changes);
