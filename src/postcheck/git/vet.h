// Checks what appeared under git's names, and removes what the host would run. Follows no link. A
// confined process parses (apart/reader.c).
//
// The room postcheck/git owns the check of git's directories. Uses: base, git, names, nouns,
// postcheck/acts, report, text, view/paths. Begin with vet.c.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "plan.h"

struct check;
struct findings;

// Quarantines `name`, an entry of the open `directory`, at `path`.
void vet_absent(struct check *check, int directory, const char *name, const char *path);
// Removes new links on the way to `path`.
void vet_way(struct check *check, const char *path);
// Checks files with remotes' addresses. In an unchanged directory they are only reported.
void vet_addresses(struct check *check, int directory, const char *name, const char *path);
void vet_config(struct check *check, int directory, const char *name, const char *path);
// Checks a git directory, or a .git file. `name` "." is the directory. vet_repository() adds what
// its configuration names.
void vet_git(struct check *check, int directory, const char *name, const char *path);
void vet_repository(struct check *check, int directory, const char *name, const char *path);
// `known` NULL: all entries are new.
void vet_entries(struct check *check, int directory, const char *name, const char *path,
		 enum act act, const struct place *known);

// Checks the open git directory. `known`: names at the start; NULL: age decides. `top`: new names
// at the top are allowed. Quarantines nested git directories, links, FIFOs, devices, and files that
// git runs or follows.
void parts_look(struct check *check, int directory, const char *path, const struct place *known,
		bool top);
// Quarantines parts of a git directory until git refuses it.
void parts_undo(struct check *check, int directory, const char *path);

// Whether the .git file leads to a searched worktree or submodule. *ret_worktrees: the open parent
// directory if the caller must search the worktree, else -1.
bool pointer_is_right(const struct plan *plan, int directory, const char *name, const char *path,
		      char ret_place[PATH_MAX], int *ret_worktrees);
// Returns the number of directories from the tree's top to a submodule's file; 0: another file.
unsigned pointer_depth(const struct plan *plan, const char *path);
// Whether each alternate is an objects directory of a searched repository.
bool pointer_is_alternates(const struct plan *plan, int directory, const char *name,
			   const char *path);

struct merge {
	const struct check *check;
	enum merge_kind {
		MERGE_CHANGES, // merges changes from `before` to `after`
		MERGE_FILTER,  // reduces the file to `before` and harmless keys
		MERGE_HOST,    // reduces the host's new file; keeps keys of gitkey_is_daily()
	} kind;
	int directory;
	const char *name, *path;
	const char *before, *after;
	size_t before_length, after_length;
	mode_t mode;
	unsigned depth; // directories below the project, for core.worktree
	bool made;      // the run made the repository
	bool fresh;     // replaces the file: a program may have the old one open
	int lock;       // struct copy's lock, or -1
};

// Writes under git's lock (NAME.lock), and reports withheld keys. Returns 0: unchanged; 1: written;
// -1: failed (reported).
int merge_config(const struct merge *merge);

// Writes git's lock, ready to rename. Returns 0; 1: git has it; -1.
int merge_take_lock(int directory, const char *lock, mode_t mode, const void *text, size_t length);

// Checks the index if it or, with `shared`, its shared file changed. Quarantines an index that git
// could not have written. Removes caches from a good one: git then rereads changed files. Reports
// marks that hide changes, and read-only files that git did not write.
void index_look(struct check *check, int directory, const char *path, bool shared);
// Reports read-only names in the project's index after a failed command, if git wrote in its
// directory and no merge waits.
void index_tell_tracked(struct check *check);

// Removes a git lock that the run left and that stays. Only reports it while an older git of the
// host runs.
void leftover_take_lock(const struct check *check, int directory, const char *name,
			const char *path);
// Whether no character means anything to a shell, and the name is no option.
bool leftover_is_plain(const char *ref);

// Checks a directory that became a git directory. If the run made all parts, it is searched.
// Otherwise (as with an old `hooks`) parts are quarantined until git refuses it.
void bare_look(struct check *check, int directory, const char *path);
// Whether a bare git directory existed before the run: HEAD is unchanged, and no part is new.
bool bare_is_old(const struct check *check, int directory);
// Reports the project's git directory if it is no longer valid.
void bare_tell_broken(const struct check *check, int directory, struct findings *found);
// Explains why 'rm -r' of a repository stops at protected names.
void bare_tell_headless(const struct check *check, int directory, const char *path);
