// A look through what appeared under a name of git's: what the host would run is taken away, and
// the rest stays. Nothing is followed, and a reader parses (apart/reader.c).
//
// The room postcheck/git owns the check of git's directories. Uses: base git names
// nouns postcheck/finding report text view/paths. Begin with vet.c.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "plan.h"

struct check;
struct findings;

// `directory` is open and `name` lies in it, at `path`.
void vet_absent(struct check *check, int directory, const char *name, const char *path);
// A link in the place of a directory on the way to `path` is taken away, but not one that was
// there.
void vet_way(struct check *check, const char *path);
// Remotes in files: those in a directory to which nothing came are only reported.
void vet_addresses(struct check *check, int directory, const char *name, const char *path);
void vet_config(struct check *check, int directory, const char *name, const char *path);
// A git directory that is open: all parts of it. `depth` is that of a submodule in others.
void vet_parts(struct check *check, int directory, const char *path, int depth);
// A .git, as directory or file; and with what its configuration names.
void vet_git(struct check *check, int directory, const char *name, const char *path);
void vet_repository(struct check *check, int directory, const char *name, const char *path);
// The entries of worktrees and modules that did not stand there; `known` NULL: none did.
void vet_entries(struct check *check, int directory, const char *name, const char *path,
		 enum act act, const struct place *known);

// New entries of a git directory that git does not make itself.

// Checks the git directory that is open as `directory`, at `path`. `known`: the names that
// were there, of a place; NULL: those that stood there, and of a directory that did not
// names that git does not have are not reported.
// `top`: its top may have new names. Moved to quarantine: git directories in other places than
// git's, links, FIFOs, devices, and files that git runs or that lead it elsewhere.
void parts_look(struct check *check, int directory, const char *path, const struct place *known,
		bool top);
// Moves parts of a git directory to quarantine until git does not take it for one.
void parts_undo(struct check *check, int directory, const char *path);

// Where a file .git leads, and which places are right for it.

// Whether the .git file `name` leads to a worktree or a submodule that is looked through: either by
// its own guard, or, for a worktree of a repository in the same tree, by the caller. Then
// *ret_worktrees is the open directory that holds it, else -1.
bool pointer_is_right(const struct plan *plan, int directory, const char *name, const char *path,
		      char ret_place[PATH_MAX], int *ret_worktrees);
// How many directories a submodule's file lies below its tree, 0 for any other.
unsigned pointer_depth(const struct plan *plan, const char *path);
// Whether a file is a list of alternates that all are directories of objects of repositories in the
// searched trees.
bool pointer_is_alternates(const struct plan *plan, int directory, const char *name,
			   const char *path);

// Git's configuration files after a run: what may be taken over, and nothing else.

struct merge {
	const struct check *check;
	enum merge_kind {
		MERGE_CHANGES, // between `before` and `after`, into the file
		MERGE_FILTER,  // the file itself, cut to `before` and harmless keys
		MERGE_HOST, // the same of one that the host has replaced: what its user does each
			    // day stays, too
	} kind;
	int directory; // that holds the file
	const char *name, *path;
	const char *before, *after;
	size_t before_length, after_length;
	mode_t mode;    // of a file that has to be made anew
	unsigned depth; // of its directory below the project, for core.worktree
	bool made;      // with its repository, in the run
	bool fresh;     // in another file in any case: somebody may have this one open
	int lock;       // of struct copy, or -1: whether others have the file mounted over
};

// Under git's own lock (NAME.lock). Reports withheld keys. 1 when it was written, -1 when the file
// could not be read as git's configuration or not be written (reported): it is as it was.
int merge_config(const struct merge *merge);

// A whole new file under the name of git's lock, ready to be renamed. 0, 1 when git holds it, -1.
int merge_take_lock(int directory, const char *lock, mode_t mode, const void *text, size_t length);

// Git's index after a run: what it makes the host's git write, read or not show.

// Looks at the index of the git directory that is open as `directory`, at `path`, when the run
// changed it or, with `shared`, another file of it. One that git would not write itself goes to
// quarantine. From others what only saves time is removed, under git's own lock, and git compares
// the contents of files that changed since the run began. Tells how many files are marked in it so
// that changes are not shown, and of the project's index which protected names git did not write.
void index_look(struct check *check, int directory, const char *path, bool shared);
// Git wrote in its directory, no merge waits for its end, and the command failed: tells which names
// that the project's index lists were read-only, as a refused write leaves no other trace.
void index_tell_tracked(struct check *check);

// What a command in a box leaves in a git directory: locks, and names of refs.

// Removes a lock of git's that came during the run, unless its owner is alive: a lock that goes by
// itself within a moment, or while a git of the host runs that began before. Then it is reported.
void leftover_take_lock(const struct check *check, int directory, const char *name,
			const char *path);
// Whether a ref's name has only characters that mean nothing to a shell, and is no option.
bool leftover_is_plain(const char *ref);

// Directories that became git's, and one that is git's no more.

// `directory`, at `path`, was none of git's. Where it is one now and all that git trusts in it was
// made by this run, it is looked through as any repository; where some of it stood there before, as
// a project's own directory `hooks` does, the directory is made none again.
void bare_look(struct check *check, int directory, const char *path);
// Whether a git directory without .git was one before the run: HEAD is as it was, and no other part
// has come.
bool bare_is_old(const struct check *check, int directory);
// Tells when the project's own .git, open as `directory`, is not valid any more: git then looks
// elsewhere.
void bare_tell_broken(const struct check *check, int directory, struct findings *found);
// 'rm -r' of a repository ends at protected names in it: says so, and who can remove the rest.
void bare_tell_headless(const struct check *check, int directory, const char *path);
