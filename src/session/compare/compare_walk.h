// The walk over a session's layers and the host's directories side by side.
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "session/compare/changes.h"
#include "session/compare/pathset.h"
#include "session/store/merged.h"
#include "session/store/seen.h"
#include "session/store/store.h"

struct changes;
struct held;
struct store;

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

// What of the host goes with a name that the session has removed or replaced.

// `name` lies in `host`, at `path` from the root; its status there is `was`.
int removed_note(struct compare_walk *walk, const char *path, const char *name, int host,
		 const struct stat *was);
int removed_note_inside(struct compare_walk *walk, const char *path, const char *name, int host);

// Which added file was a removed one before.

// Fills `renamed` and clears conflicts that a moved file only seems to have.
void renames_find(struct store *store, const struct held *held, struct changes *changes);
