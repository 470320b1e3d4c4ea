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

// Adds the project and its protection to the wishes; notes in the plan the names to look for
// afterwards. Nothing is ever created in the user's tree for it.
int protect_plan(struct wishes *wishes);

// One name that the host later runs or trusts: how it is kept from the box.

// Read-only when it exists, else looked for at the end. Its parent has no symlinks.
int protect_name(struct wishes *wishes, const char *path, enum act absent, struct origin from);
// Looked for at the end.
int protect_guard(struct wishes *wishes, const char *path, enum act act);

// After a look at the path failed, with errno. A directory on the way that its owner may not look
// into is noted in the plan, to be opened by who runs that: then the plan is made again. Returns
// -1 with an error that says what it is.
int protect_failed(struct wishes *wishes, const char *path);

// Whether a plan has room for what one more directory of git's may need. Where it has none such a
// directory is read-only as a whole: a box that made many keeps no later run from beginning.
bool protect_has_room(const struct wishes *wishes);

// What the box writes as a whole lies at the path or below it: it cannot be kept from it.
bool protect_holds_root(const struct wishes *wishes, const char *path);

// Calls `each` for every link on the way to the path, as with another link the name would be
// another file's, and for where it ends: in an entry, in the directory that keeps the caller
// out, or in the link that leads about in a circle.
int protect_way(struct wishes *wishes, const char *path, const void *with,
		int (*each)(struct wishes *wishes, const char *path, const void *with));

// Git's own directories: where they are, and what in them the host runs or trusts.

// `root` holds the .git, or will. Follows .git files (worktrees, submodules) only where the
// directory they name points back at `root`.
int repository_protect(struct wishes *wishes, const char *root, struct origin from);

// The repository of a worktree or submodule alone, which lies elsewhere, and the places of other
// worktrees: for a session, where nothing is protected.
int repository_follow(struct wishes *wishes, const char *root, struct origin from);

// A directory that is a git directory itself, without a .git (gitrepository-layout(5): "bare"): the
// parts of git's are protected where `root` is one; elsewhere the plan notes that it is none, so
// that a box cannot make it one: git looks there where it finds no valid .git.
int repository_protect_top(struct wishes *wishes, const char *root, struct origin from);

// The parts of one git directory that act on the host's git, and the names at its top.

// Makes the directory a place, and protects its parts. `top` as in copies_add().
int git_parts_protect(struct wishes *wishes, const char *directory, const char *top,
		      struct origin from, enum layout_place where, struct place *ret_place);

// The box's copies of git's configuration.

// The box gets a copy of the configuration at `path`; what it changes there is merged afterwards.
// Inside another box of tier landlock: what that box shows there is read-only. `top` is the tree's,
// which relative names in the text are of; NULL: as the text says.
int copies_add(struct wishes *wishes, const char *path, const char *top, struct origin from);

// Parts of a repository that lie outside of the project, as the project says: a line of the user's
// shows them.

// The one line of a pointer file such as .git, commondir or gitdir; NULL when it is none.
const char *beyond_pointer(struct arena *arena, const char *path, const char *prefix);
// Whether what the pointer names, from the directory, is the path `wanted`.
bool beyond_leads_to(struct wishes *wishes, const char *directory, const char *pointer,
		     const char *wanted);
// core.worktree of a git directory, or NULL.
const char *beyond_worktree(struct wishes *wishes, const char *directory);
// Notes in the plan why what `file` names is not in the box. 0.
int beyond_lacks(struct wishes *wishes, const char *file, const char *why);

// Whether the directory at `path`, to which `file` leads, is a git directory. The plan names it
// where it is not in the box, with the line that shows it.
bool beyond_directory(struct wishes *wishes, const char *file, const char *path);
// The same of what the link `file` leads to: a part of a git directory, or a directory of objects.
void beyond_part(struct wishes *wishes, const char *file);
// The same of directories of objects that the list `file` (objects/info/alternates) names.
void beyond_alternates(struct wishes *wishes, const char *file);

// A worktree that the box does not see looks to git like one that is gone, and 'git worktree prune'
// or 'git gc' in the box would remove what the host's git knows of it. A link that leads nowhere is
// enough for git to leave it, and no repository to anybody who goes there.
// `entry`: its directory in the common one.
int beyond_show_worktree(struct wishes *wishes, const char *common, const char *entry);

// Repositories below the top of a writable directory: those that earlier looks have found are
// protected as the top's, and the first look of all comes before the first command.

// `count`: how many are protected so far.
int nested_protect(struct wishes *wishes, struct searched *tree, unsigned *count);

// What git's configuration names in what the box can write (git/recognise.h): kept from it as git's
// own directory is.

// After all other walls: what one of them keeps already needs no second. `wishes->named` and
// `wishes->tops` are there.
int configured_protect(struct wishes *wishes);

// What links in protected directories lead to: the host runs or trusts it by the name of the link.

// After all walls. Protects such files and directories where the box could write them, and what
// links in these lead to. One that cannot be protected is noted, and compared after the run.
int indirect_protect(struct wishes *wishes);

// The walls of a home that is the project (--project-dir).

// What programs read at start, by the table and by what the profile names in the home.
int home_protect(struct wishes *wishes, struct origin from);

// What of the home the caller's programs run or trust, by absolute path: protected wherever the box
// writes it, and no project.

// -1 with the error said when the project, or a directory that --write names, is such a place or
// one of secrets.
int homes_refuse(struct wishes *wishes);

// Protects what the box, by the wishes so far, would write of it.
int homes_protect(struct wishes *wishes);

// Directories of the caller's PATH that the box can write: each entry, by the links on its way, and
// relative ones by the project's top and the caller's directory.

int programs_protect(struct wishes *wishes, const struct homes *homes);

// Profiles that were given by a path: a command must not change policy.

// Protects each file that this run, or an earlier one wherever it was, was given as a profile,
// where the box could write it. After the other wishes: they say where that is.
int profiles_protect(struct wishes *wishes);

// Notes this run's, for those to come. A failure to note is reported.
void profiles_remember(const struct plan *plan, struct findings *found);
