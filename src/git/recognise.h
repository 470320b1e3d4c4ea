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

// By setup.c of git 2.39, is_git_directory(). Variables (GIT_DIR) count for nothing. In doubt it is
// one: links, directories without rights and commondir may change later.
enum git_directory {
	GIT_NONE,
	GIT_WHOLE,  // objects and refs are its own
	GIT_SHARED, // a file commondir says where they are
};
enum git_directory git_directory(int directory);

// Over several places, as the layers of a session: each name in the directory that has it.
enum git_part { GIT_HEAD, GIT_COMMONDIR, GIT_OBJECTS, GIT_REFS, GIT_PARTS };
extern const char *const git_part_names[GIT_PARTS];
struct git_parts {
	bool has[GIT_PARTS];
};
void git_look(int directory, enum git_part part, struct git_parts *parts);
enum git_directory git_decide(const struct git_parts *parts);

// `text` of a pointer file (.git with "gitdir: ", commondir, gitdir), cut. NULL: nothing, or a
// newline or NUL, which git takes as a part or as the end.
char *git_pointer(char *text, size_t length, const char *prefix);
// Never a link.
enum { GIT_POINTER_MAX = 4096 };
#define GIT_FILE_PREFIX "gitdir: "
const char *git_read_pointer(int directory, const char *name, const char *prefix,
			     char text[GIT_POINTER_MAX]);
// The paths of a list of alternates, at most GIT_ALTERNATES_MAX bytes of it: ROW_OBJECTS.
enum { GIT_ALTERNATES_MAX = 16384 };
int git_ask_alternates(struct arena *arena, const char *file, struct rows *ret_rows);

// By gitrepository-layout(5) and git's sources.

// Dropped: removed when a run made it. Git does not read a name in no row.
enum layout_kind {
	LAYOUT_DATA,    // believed: git runs nothing that it says
	LAYOUT_LOCK,    // git's commands fail while it is there
	LAYOUT_RUN,     // git, or another known program, runs it
	LAYOUT_CONFIG,  // a configuration of git's
	LAYOUT_POINTER, // other directories, or another history
	LAYOUT_ORDER,   // what a later command of git's goes on with
	LAYOUT_ADDRESS, // a form of remotes that git writes no more
	LAYOUT_NESTED,  // holds git directories
};
enum layout_type { LAYOUT_FILE, LAYOUT_DIRECTORY, LAYOUT_MANY, LAYOUT_SOCKET };
enum layout_place { LAYOUT_SHARED = 1, LAYOUT_WORKTREE = 2, LAYOUT_BOTH = 3 };

struct layout_row {
	const char *path;
	enum layout_kind kind;
	enum layout_type type;
	enum layout_place place;
};
extern const struct layout_row layout_rows[];
extern const unsigned layout_count;

#define layout_each(row)                                                                           \
	for (const struct layout_row *row = layout_rows; row < layout_rows + layout_count; row++)

// In whatever case. NULL: git has no such name.
const struct layout_row *layout_find(const char *path);

// All kinds but data, also in submodules and worktrees.
bool layout_acts(const char *path);
// Whether the path lies where git has the directories of submodules and worktrees.
bool layout_is_nested(const char *path);

struct gitform_look {
	struct arena *arena;
	const struct gitconfig *before, *after, *now; // see gitconfig_merge()
	struct gitconfig_case how;
};

// Whether all values that `after` has of a key, or that it has none any more, may be taken over.
bool gitform_allows(const struct gitform_look *look, const char *name);

// core.hooksPath, include.path, includeIf.*.path, init.templateDir: git-config(1).

struct gitnamed_text {
	struct gitnamed_text *next;
	const char *path, *text;
	size_t length;
	bool own;
	enum apart whose;
	struct rows rows;
};

struct gitnamed {
	struct list hooks, files; // absolute paths, clean as text
	struct list everywhere;   // of hooks: below the top of whatever repository
	struct list unclear;      // git may read them otherwise, or nobody could
	struct gitnamed_text *first, *last;
	bool own;
	unsigned count; // files that were read, GITNAMED_FILES_MAX at most
	// Whose a file is; NULL: by `own`.
	enum apart (*whose)(const void *with, const char *file);
	const void *with;
};
enum { GITNAMED_FILES_MAX = 32 };

// What a text of git's configuration names, and with `remotes` gitnamed_known(); nobody is asked
// about one without any of the words. gitnamed_ahead(): for one that will be asked for, without.
int gitnamed_read(enum apart whose, struct arena *arena, const char *text, size_t length,
		  bool remotes, struct rows *ret_rows);
int gitnamed_ahead(const char *text, size_t length);

// And of the files that it includes, on whichever condition. A relative core.hooksPath is in
// `everywhere`, and also below `top`; NULL: below core.worktree.
int gitnamed_add(struct arena *arena, const char *home, const char *file, const struct rows *rows,
		 const char *top, struct gitnamed *named);

// The same of a file; of one that is missing nothing.
int gitnamed_file(struct arena *arena, const char *home, const char *file, const char *top,
		  struct gitnamed *named);

// Of the user, the machine and the caller's variables.
int gitnamed_global(struct arena *arena, const char *home, const char *config,
		    struct gitnamed *named);

// "remote.x" of each remote, branch and submodule with settings.
void gitnamed_known(struct arena *arena, const struct rows *rows, struct list *known);

// The first address of a remote, or NULL.
const char *gitway_url(struct arena *arena, const struct gitconfig *config, const char *remote);
// The only one, else "origin". "": nowhere.
const char *gitway_default(struct arena *arena, const struct gitconfig *config);
// The host of an address; a path as it is.
const char *gitway_host(struct arena *arena, const char *address);
bool gitway_is_far(const char *address); // https or ssh
// Not an address: nobody who gives it to git is sent elsewhere.
bool gitway_is_name(const char *name);
// The part of a name between the first dot and the last, or "".
const char *gitway_middle(struct arena *arena, const char *name);
// Of a new one: https, ssh, git; http and paths in a repository of the run; a submodule's path.
bool gitway_may_lead(const char *name, const char *value, bool made);
