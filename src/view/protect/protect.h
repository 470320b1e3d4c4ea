// The plan of names that the host later runs or trusts, kept from the box: in the project, its
// repositories and the home.
//
// The room view/protect owns the walls around names that the host executes or trusts. Uses: base
// apart git names nouns report trees view/paths. Begin with protect_plan.c.
#pragma once

#include <stdbool.h>

#include "base/base.h"
#include "git/recognise.h"
#include "plan.h"
#include "view/paths/wishes.h"

struct arena;
struct findings;
struct homes;

// Adds the project and its protection; notes the names to check afterwards. Creates nothing in the
// user's tree.
int protect_plan(struct wishes *wishes);

// One name that the host later runs or trusts: how it is kept from the box.

// Read-only if it exists, else checked at the end. Its parent has no symlinks.
int protect_name(struct wishes *wishes, const char *path, enum act absent, struct origin from);
int protect_guard(struct wishes *wishes, const char *path, enum act act);

// After a failed lookup, with errno. Notes a directory without its owner's x bit: the caller of the
// plan opens it and plans again. Returns -1 with the error said.
int protect_failed(struct wishes *wishes, const char *path);

// False: no room for another git directory's parts. It then becomes read-only as a whole, so that a
// box that made many does not stop later runs.
bool protect_has_room(const struct wishes *wishes);

// A directory that the box writes as a whole lies at the path or below: no protection.
bool protect_holds_root(const struct wishes *wishes, const char *path);

// Calls `each` for every link on the way, and for its end: an entry, an unsearchable directory, or
// a link of a loop.
int protect_way(struct wishes *wishes, const char *path, const void *with,
		int (*each)(struct wishes *wishes, const char *path, const void *with));

// Git's own directories: where they are, and what in them the host runs or trusts.

// `root` has a .git, or may get one. Follows a .git file (worktree, submodule) only if its
// directory points back at `root`.
int repository_protect(struct wishes *wishes, const char *root, struct origin from);

// For a session, which protects nothing: only a repository elsewhere, and its other worktrees.
int repository_follow(struct wishes *wishes, const char *root, struct origin from);

// A git directory without a .git (gitrepository-layout(5): "bare"). If `root` is none, the check
// after the run looks whether a box made it one: git looks there without a valid .git.
int repository_protect_top(struct wishes *wishes, const char *root, struct origin from);

// The parts of one git directory that act on the host's git, and the names at its top.

// Makes the directory a place. `top` as in copies_add().
int git_parts_protect(struct wishes *wishes, const char *directory, const char *top,
		      struct origin from, enum layout_place where, struct place *ret_place);

// The box's copies of git's configuration.

// Gives the box a copy of the configuration, to be merged after the run. In a box of tier landlock
// it is read-only. `top`: base of relative names in the text, or NULL: as it says.
int copies_add(struct wishes *wishes, const char *path, const char *top, struct origin from);

// A repository's parts outside of the project, by the project's own text: the user needs a line for
// them.

const char *beyond_pointer(struct arena *arena, const char *path, const char *prefix);
bool beyond_leads_to(struct wishes *wishes, const char *directory, const char *pointer,
		     const char *wanted);
// core.worktree of a git directory, or NULL.
const char *beyond_worktree(struct wishes *wishes, const char *directory);
int beyond_lacks(struct wishes *wishes, const char *file, const char *why);

// True for a git directory at `path`, to which `file` leads. If the box lacks it, notes it with the
// line that shows it.
bool beyond_directory(struct wishes *wishes, const char *file, const char *path);
// Likewise for the target of the link `file`: a part of a git directory, or objects.
void beyond_part(struct wishes *wishes, const char *file);
// Likewise for object directories of the list `file` (objects/info/alternates).
void beyond_alternates(struct wishes *wishes, const char *file);

// In the box 'git worktree prune' or 'git gc' would remove the entry of an invisible worktree from
// the host's git. A dangling link keeps it, and is no repository. `entry`: its directory in the
// common one.
int beyond_show_worktree(struct wishes *wishes, const char *common, const char *entry);

// Repositories below the top of a writable directory: earlier looks' finds are protected as the
// top's; the first look precedes the first command.

int nested_protect(struct wishes *wishes, struct searched *tree, unsigned *count);

// What git's configuration names where the box can write (git/recognise.h): protected as git's
// directory is.

// After all other walls, which may suffice. Needs wishes->named and wishes->tops.
int configured_protect(struct wishes *wishes);

// What links in protected directories lead to: the host runs or trusts it by the link's name.

// After all walls. Protects targets where the box could write, and their links' targets. Others are
// compared after the run.
int indirect_protect(struct wishes *wishes);

// The walls of a home that is the project (--project-dir).

// What programs read at start, by the table and the profile.
int home_protect(struct wishes *wishes, struct origin from);

// What the caller's programs run or trust in the home, by absolute path: protected where the box
// writes, and never a project.

// -1 with the error said: the project, or a --write directory, is such a place, or of secrets.
int homes_refuse(struct wishes *wishes);

// Protects those that the box could write by the wishes so far.
int homes_protect(struct wishes *wishes);

// Directories of the caller's PATH that the box can write: each entry, by the links on its way;
// relative ones by the project's top and the caller's directory.

int programs_protect(struct wishes *wishes, const struct homes *homes);

// Profiles that were given by a path: a command must not change policy.

// Protects each file that any run was given as a profile, where the box could write it. After the
// other wishes, which say where.
int profiles_protect(struct wishes *wishes);

// Notes this run's for later ones. A failure is a finding.
void profiles_remember(const struct plan *plan, struct findings *found);
