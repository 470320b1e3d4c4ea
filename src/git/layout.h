// The parts of git's directories: what each is to the host's git, and which type of file it has.
// By gitrepository-layout(5) and git's sources.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Believed, or checked after a run, or dropped (removed when a run made it). A name in no row is
// not git's: git does not read it, and it is reported.
enum layout_kind {
	LAYOUT_DATA,    // believed: git runs nothing that it says
	LAYOUT_LOCK,    // dropped: git's commands fail while it is there
	LAYOUT_CACHE,   // dropped: git believes it, and makes it anew
	LAYOUT_STATE,   // reported: of a command that has not ended, the next one goes on with it
	LAYOUT_VIEW,    // reported: git shows history or files by it, or resolves conflicts
	LAYOUT_RUN,     // git, or another known program, runs it
	LAYOUT_CONFIG,  // a configuration of git's
	LAYOUT_POINTER, // leads git to other directories, or to another history
	LAYOUT_ORDER,   // what a later command of git's goes on with
	LAYOUT_ADDRESS, // files in it are remotes, a form that git reads and writes no more
	LAYOUT_NESTED,  // holds git directories
};
enum layout_type {
	LAYOUT_FILE,
	LAYOUT_DIRECTORY,
	LAYOUT_MANY, // a directory that holds a crowd of them
	LAYOUT_SOCKET
};
// In which directory: the one that all worktrees share, the one of a worktree, or in both.
enum layout_place { LAYOUT_SHARED = 1, LAYOUT_WORKTREE = 2, LAYOUT_BOTH = 3 };

struct layout_row {
	const char *path; // below the git directory; `*` and `?` as component_matches() has them
	enum layout_kind kind;
	enum layout_type type;
	enum layout_place place;
};
extern const struct layout_row layout_rows[];
extern const unsigned layout_count;

#define layout_each(row)                                                                           \
	for (const struct layout_row *row = layout_rows; row < layout_rows + layout_count; row++)

// The row that a path below a git directory is, or lies in; in whatever case. NULL: git has
// no such name.
const struct layout_row *layout_find(const char *path);

// Whether a row's first component is called so, as letters of ASCII.
bool layout_begins(const struct layout_row *row, const char *name);
// Whether a path below a git directory acts on the host's git by itself: all kinds
// but data and views, also those of the submodules and worktrees in it.
bool layout_acts(const char *path);
// Whether the path lies where git has the directories of submodules and worktrees.
bool layout_is_nested(const char *path);
