// The room view/protect owns the walls around names that the host later runs or trusts, in the
// project, its repositories and the home. Uses: base, apart, git, names, nouns, report, trees,
// view/paths. Begin with protect_plan.c.
#pragma once

#include <stdbool.h>

#include "base/base.h"
#include "git/git.h"
#include "plan.h"
#include "view/paths/wishes.h"

struct arena;
struct findings;
struct homes;

// Adds the project and its protection. Creates nothing in the user's tree.
int protect_plan(struct wishes *wishes);

// Makes an existing path read-only. On an absent one, the check after the run does `otherwise`. No
// parent is a symlink.
int protect_name(struct wishes *wishes, const char *path, enum act otherwise, struct origin from);
int protect_guard(struct wishes *wishes, const char *path, enum act act);

// Called after a failed lookup, with errno. Notes a directory that the caller may not read or
// search. Returns -1 and reports.
int protect_failed(struct wishes *wishes, const char *path);

// Returns false if there is no room for another git directory's parts. The directory then becomes
// read-only as a whole: a box that made many does not stop later runs.
bool protect_has_room(const struct wishes *wishes);

// True if the box writes the path, or a directory below, as a whole: it is not protected then.
bool protect_holds_root(const struct wishes *wishes, const char *path);

// Calls `each` for each link on the way and for its end: an entry, an unsearchable directory, or a
// link of a loop.
int protect_way(struct wishes *wishes, const char *path, const void *with,
		int (*each)(struct wishes *wishes, const char *path, const void *with));

// Protects a `root` that has a .git or may get one. Follows a .git file (worktree, submodule) only
// when its directory points back.
int repository_protect(struct wishes *wishes, const char *root, struct origin from);

// Protects a repository of the list: a .git, or a git directory of another name.
int repository_protect_known(struct wishes *wishes, const struct resolved *known,
			     struct origin from);

// For a session, which protects nothing: adds a git directory outside of `root`, and the
// repository's other worktrees.
int repository_follow(struct wishes *wishes, const char *root, struct origin from);

// Protects a `root` that is a bare repository (gitrepository-layout(5)). If it is none, the check
// after the run looks whether a box made it one.
int repository_protect_top(struct wishes *wishes, const char *root, struct origin from);

// Protects a git directory's parts that act on the host's git, and adds the directory as a place.
// `top`: see copies_add().
int git_parts_protect(struct wishes *wishes, const char *directory, const char *top,
		      struct origin from, enum layout_place where, struct place *ret_place);

// Gives the box a copy of the file, which the check after the run merges into the file. Tier
// landlock makes the file read-only. `top`: base of relative paths in the text; NULL:
// core.worktree.
int copies_add(struct wishes *wishes, const char *path, const char *top, struct origin from);

// Parts of a repository outside of the project that the project's files name. Only a user's profile
// line or flag shows them.

const char *beyond_pointer(struct arena *arena, const char *path, const char *prefix);
bool beyond_leads_to(struct wishes *wishes, const char *directory, const char *pointer,
		     const char *wanted);
// Returns core.worktree of a git directory, or NULL.
const char *beyond_worktree(struct wishes *wishes, const char *directory);
int beyond_lacks(struct wishes *wishes, const char *file, const char *why);

// True if `path`, to which `file` leads, is a git directory. If the box lacks it, notes the profile
// line that shows it.
bool beyond_directory(struct wishes *wishes, const char *file, const char *path);
// Notes the profile line that shows the target of the link `file`: a part of a git directory, or
// objects.
void beyond_part(struct wishes *wishes, const char *file);
// Notes the profile lines that show object directories of the list `file`
// (objects/info/alternates).
void beyond_alternates(struct wishes *wishes, const char *file);

// Puts a dangling link at an invisible worktree, so that 'git worktree prune' and 'git gc' in the
// box keep the worktree's entry. `entry`: its directory below `common`.
int beyond_show_worktree(struct wishes *wishes, const char *common, const char *entry);

// Repositories below the top of a writable directory. A search before the first command lists them.

int nested_protect(struct wishes *wishes, struct tree *tree, unsigned *count);

// Protects files that git's configuration names, where the box can write them. Called after the
// protection of repositories. Needs wishes->named and wishes->tops.
int configured_protect(struct wishes *wishes);

// Protects targets of links in protected directories where the box could write. The check after the
// run compares others. Called after all other protection.
int indirect_protect(struct wishes *wishes);

// Protects files of the home that programs read at start, by the table and the profile.
int home_protect(struct wishes *wishes, struct origin from);

// Names of the home that the caller's programs run or trust.

// Returns -1 and reports a project below such a name or among secrets, and a project or --write
// directory that is a TRUSTED_PLACE.
int homes_refuse(struct wishes *wishes);

// Protects names of the home where the wishes so far let the box write.
int homes_protect(struct wishes *wishes);

// Protects directories of the caller's PATH that the box can write, and links on the way. Reports
// relative entries.

int programs_protect(struct wishes *wishes, const struct homes *homes);

// Protects files that any run was given as a profile: a command must not change its policy. Called
// after the other wishes, which decide where the box could write.
int profiles_protect(struct wishes *wishes);

// Notes this run's profiles for later runs. A failure becomes a finding.
void profiles_remember(const struct plan *plan, struct findings *found);
