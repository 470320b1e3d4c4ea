// Whether git takes a directory for a repository, and where the small files lead by which it goes
// from one place to another.
//
// The room git owns the readers of git's files. It writes none of them and starts no git. Uses:
// apart text. Begin with recognise.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apart/apart.h"
#include "base/base.h"
#include "git/gitconfig.h"

struct arena;

// By setup.c of git 2.39, is_git_directory(): HEAD names a branch or a commit, and objects and refs
// stand beside it, or in the directory that a file commondir names. Variables of the environment
// (GIT_DIR and the like) count for nothing. In doubt it is one: a link is taken for what it leads
// to, a directory without the right to enter it for one with it, and commondir for one that leads
// to a repository, as each of them may change later without a box.
enum git_directory {
	GIT_NONE,
	GIT_WHOLE,  // objects and refs are its own
	GIT_SHARED, // a file commondir says where they are
};
enum git_directory git_directory(int directory);

// The same decision over names that stand in several places, as in the layers of a session: each
// name is looked at in the directory that has it.
enum git_part { GIT_HEAD, GIT_COMMONDIR, GIT_OBJECTS, GIT_REFS, GIT_PARTS };
extern const char *const git_part_names[GIT_PARTS];
struct git_parts {
	bool has[GIT_PARTS];
};
void git_look(int directory, enum git_part part, struct git_parts *parts);
enum git_directory git_decide(const struct git_parts *parts);

// Cuts what a pointer file (.git with the prefix "gitdir: ", commondir, gitdir) says out of `text`
// and returns it. NULL when it says nothing, or holds a newline or a NUL, which git takes as a part
// of the path or as its end.
char *git_pointer(char *text, size_t length, const char *prefix);
// Reads it from a file, which is never a link; at most GIT_POINTER_MAX bytes.
enum { GIT_POINTER_MAX = 4096 };
#define GIT_FILE_PREFIX "gitdir: "
const char *git_read_pointer(int directory, const char *name, const char *prefix,
			     char text[GIT_POINTER_MAX]);
// The same, taken apart in a locked process and in the arena.
const char *git_ask_pointer(struct arena *arena, const char *path, const char *prefix);
// The paths of a list of alternates, at most GIT_ALTERNATES_MAX bytes of it: ROW_OBJECTS.
enum { GIT_ALTERNATES_MAX = 16384 };
int git_ask_alternates(struct arena *arena, const char *file, struct rows *ret_rows);

// The parts of git's directories: what each is to the host's git, and which type of file it has.
// By gitrepository-layout(5) and git's sources.

// Believed, or checked after a run, or dropped (removed when a run made it). A name in no row is
// not git's: git does not read it.
enum layout_kind {
	LAYOUT_DATA,    // believed: git runs nothing that it says
	LAYOUT_LOCK,    // dropped: git's commands fail while it is there
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

// Whether a path below a git directory acts on the host's git by itself: all kinds
// but data, also those of the submodules and worktrees in it.
bool layout_acts(const char *path);
// Whether the path lies where git has the directories of submodules and worktrees.
bool layout_is_nested(const char *path);

// Which keys a box may add to git's configuration, and with which values. Pure.

// What the decision depends on.
struct gitform_look {
	struct arena *arena;
	const struct gitconfig *before, *after, *now; // see gitconfig_merge()
	struct gitconfig_case how;
};

// Whether all values that `after` has of a key, or that it has none any more, may be taken over.
bool gitform_allows(const struct gitform_look *look, const char *name);

// What git's configuration names besides its own directory, and git runs or obeys: directories of
// hooks (core.hooksPath) and files of more configuration (include.path, includeIf.*.path). See
// git-config(1).

// A file that was read, in the arena.
struct gitnamed_text {
	struct gitnamed_text *next;
	const char *path, *text;
	size_t length;
	bool own; // the user's or the machine's, by no repository
	enum apart whose;
	struct rows rows;
};

struct gitnamed {
	struct list hooks, files; // absolute paths, clean as text
	struct list everywhere;   // of hooks: below the top of whatever repository git works in
	struct list unclear; // files that git may read otherwise than we do, or that nobody could
	struct gitnamed_text *first, *last;
	bool own;       // from gitnamed_global() on
	unsigned count; // files that were read, GITNAMED_FILES_MAX at most
	// Whose a file is; NULL: by `own`.
	enum apart (*whose)(const void *with, const char *file);
	const void *with;
};
enum { GITNAMED_FILES_MAX = 32 };

// What a text of git's configuration names, in a locked process. -1 with the error said.
int gitnamed_read(enum apart whose, struct arena *arena, const char *text, size_t length,
		  struct rows *ret_rows);

// For a text of which that will be asked (apart_ahead()).
int gitnamed_ahead(const char *text, size_t length);

// Adds what the text of `file` names by its rows, and what the files name that it includes, on
// whichever condition. `home` is for "~/". A relative core.hooksPath is below `top`; NULL: below
// the text's core.worktree, or else everywhere. -1 with the error said.
int gitnamed_add(struct arena *arena, const char *home, const char *file, const struct rows *rows,
		 const char *top, struct gitnamed *named);

// The same of a file; of one that is missing nothing.
int gitnamed_file(struct arena *arena, const char *home, const char *file, const char *top,
		  struct gitnamed *named);

// Of the user's own and the machine's configuration: what relative paths there mean is in
// `everywhere`.
int gitnamed_global(struct arena *arena, const char *home, const char *config,
		    struct gitnamed *named);

// Adds to `known` which remotes, branches and submodules a text has settings of, and which remotes
// it names: "remote.x".
void gitnamed_known(struct arena *arena, const struct rows *rows, struct list *known);

// Where git goes: addresses and remotes. Pure.

// The first address of a remote, or NULL.
const char *gitway_url(struct arena *arena, const struct gitconfig *config, const char *remote);
// The remote of a branch without settings: the only one, else "origin". "": it leads nowhere.
const char *gitway_default(struct arena *arena, const struct gitconfig *config);
// The host of an address; a path as it is.
const char *gitway_host(struct arena *arena, const char *address);
bool gitway_is_far(const char *address); // https or ssh
// A remote's name that is no address: nobody who gives one to git is sent elsewhere.
bool gitway_is_name(const char *name);
// The part of a name between the first dot and the last, or "".
const char *gitway_middle(struct arena *arena, const char *name);
// Whether an address may be that of a new remote or submodule: by https, ssh or git; by http and as
// a path in a repository that was made in the run, and as a submodule's path.
bool gitway_may_lead(const char *name, const char *value, bool made);
