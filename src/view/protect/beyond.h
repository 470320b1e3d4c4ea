// Parts of a repository that lie outside of the project, as the project says: a line of the user's
// shows them.
#pragma once

#include <stdbool.h>

struct arena;
struct wishes;
struct origin;

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
