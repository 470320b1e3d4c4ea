// The changes of a session: its layers compared with the host's directories of now.
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
	const char *path;    // relative to the root, never ""
	struct stat was, is; // on the host; in the session; zero: none
	int layer;           // -1: removed
	bool covered;        // a directory above is added, removed or replaced as a whole
	bool guarded;        // applied only if named
	bool waits;          // a pipe, which is guarded
	bool inside;         // in a guarded change, which is reported instead
	bool conflict;       // the host differs from what the session saw
	bool far;            // too deep to be compared: left out
	bool selected;
	bool git, index;      // in a git directory; its index, or the shared part of one
	bool trace;           // a log, which git does not need
	bool left;            // see repository_leave()
	bool named;           // by a path in a git directory
	bool asked;           // the user named it: a refusal is explained
	bool marked;          // copied from a host file that is gone
	uint64_t parent;      // inode of the host's directory; 0: none
	const char *moved_to; // CHANGE_REMOVED, guarded
	const char *renamed;  // CHANGE_ADDED: a removed file with the same bytes
	const char *refused;  // an index: why it is not applied; follows its name
	const char *text;     // the index to apply; NULL: the session's
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

// PROJECT_ANY: in another project every change is a conflict.
enum project { PROJECT_SAME, PROJECT_ANY };

// Walks only the layers. Sorted, directories before their entries.
int changes_find(const struct held *held, enum project project, struct changes *ret_changes);

bool changes_has_inside(const struct changes *changes, unsigned index);

// Returns the path below the project, or an absolute one.
const char *change_name(const struct held *held, const struct change *change);

// `word`: absolute, relative to the current directory, or to the project.
const char *select_path(const struct held *held, const char *word);

// `words` empty: all but guarded changes. Returns -1 when a path has no change.
int select_changes(const struct held *held, struct changes *changes, char *const *words);

// Finds files that the host's hooks and configuration name, before anything is applied. Absolute
// paths.
int mentioned_find(const struct held *held, const struct changes *changes, struct list *ret_files);

// Parts of a new repository. The host's git would run what its settings name.

enum repository {
	REPOSITORY_NONE,
	REPOSITORY_OWN, // git takes the host's directory for a git directory
	REPOSITORY_NEW, // only once all is applied
};
// `host` -1: the host has no directory.
enum repository repository_kind(const struct merged *merged, const char *name, int host);
bool repository_is_part(const char *path);
// Fills the members of `change` that are about an index.
void repository_index(struct change *change, const struct merged *merged, const struct entry *entry,
		      int host);
// Leaves out what both sides wrote: traces, and an index if the session changed no more in the git
// directory.
void repository_leave(struct changes *changes);
bool repository_is_trace(const char *path);
// Returns the path from its uppermost `.git` on, or NULL.
const char *repository_in(const char *path);
// Returns false for git directories of submodules and worktrees, which are handled by their parts.
bool repository_is_elsewhere(const char *path);
// Whether git would search parent directories without this part.
bool repository_loses(const char *path);
// Whether git cannot use the directory with the session's `name`: it is closed, an invalid HEAD,
// or not a file or directory.
bool repository_breaks(int directory, const char *name, const char *path, const struct stat *is);

// The identity of a file or directory. Without ctime, which a rename changes.
struct thing {
	uint64_t inode, size, tree; // tree: sum over a directory's entries
	unsigned mode, links;
	struct timespec modified, changed;
};

struct thing thing_of(const struct stat *status);

// Reads a directory with its entries. Returns -1 with errno.
int thing_look(int directory, const char *name, struct thing *ret_thing);

// Adds an entry to a directory's sum, by its path below ("a/b"). The order does not matter.
uint64_t thing_part(const char *path, const struct stat *status);

bool thing_is(const struct thing *thing, const struct thing *now);

// Whether a process has the file open for writing (fcntl(2), F_SETLEASE): it writes on wherever
// the file moves.
bool thing_is_open(int directory, const char *name);

// Returns false when the file system refuses leases.
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

// Whether a symlink leads out of the session's and the system's directories. `ret_text`
// "": not a symlink.
bool sides_leads_out(const struct held *held, const struct change *change, char ret_text[PATH_MAX]);

// Compares a host file with the session's begin, by identity, not by name.
enum same {
	SAME_YES,
	SAME_NEW,   // the host made it since
	SAME_OTHER, // another file, or unknown
};

enum same same_directory(const struct changes *changes, const struct seen *seen, unsigned root,
			 const char *path, int fd);

// Whether only applies of this session have changed the file.
bool same_file(const struct known_file *known, const struct timespec *base,
	       const struct stat *status);

bool same_is_applied(const struct known_file *known, const struct stat *is, const struct stat *was);

// `applied` NULL: the entries at the session's begin.
bool same_entries(const struct known *known, const struct known_file *applied,
		  const struct seen_directory *saw, const char *path, uint64_t sum);

// -1 with the error said unless the open directory is the root that the session was made over.
int same_root(const struct held *held, unsigned root, int fd, const struct seen *seen);

bool same_time(const struct timespec *left, const struct timespec *right);
bool same_is_later(const struct timespec *time, const struct timespec *than);

// Changes that are applied only if named.
struct withheld {
	struct arena *arena;
	const struct held *held;
	struct list everywhere;    // hooks below the top of each work tree
	struct list named, around; // absolute paths; `around` does not count for a root in it
	const char *looked;
};

int withheld_begin(const struct held *held, struct withheld *ret_withheld);
void withheld_repositories(struct withheld *withheld, unsigned root, const struct seen *seen);

// Returns the path from ".git" on when the root is in a git directory, or NULL.
const char *withheld_repository(const char *root);

// In the order of the tree.
bool withheld_has(struct withheld *withheld, unsigned root, const char *path);

// Clears conflicts of files that were only moved.
void renames_find(const struct held *held, struct changes *changes);
