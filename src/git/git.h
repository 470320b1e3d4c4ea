// Whether git takes a directory for a repository, and where git's pointer files (.git, commondir)
// lead.
//
// The room git owns the readers of git's files. It writes none of them and starts no git. Uses:
// apart, text. Begin with git.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apart/apart.h"
#include "base/base.h"
#include "git/gitconfig.h"

struct arena;

// Follows is_git_directory() of git 2.39, without variables such as GIT_DIR. In doubt a directory
// counts as a repository: links, rights and commondir may change later.
enum git_directory {
	GIT_NONE,
	GIT_WHOLE,  // has objects and refs
	GIT_SHARED, // a file commondir names the directory of objects and refs
};
enum git_directory git_directory(int directory);

// Parts of a git directory. A session has it in several layers: a part in any of them counts.
enum git_part { GIT_HEAD, GIT_COMMONDIR, GIT_OBJECTS, GIT_REFS, GIT_PARTS };
extern const char *const git_part_names[GIT_PARTS];
struct git_parts {
	bool has[GIT_PARTS];
};
void git_look(int directory, enum git_part part, struct git_parts *parts);
enum git_directory git_decide(const struct git_parts *parts);

// Returns the path in a pointer file (.git with "gitdir: ", commondir, gitdir), inside `text`.
// NULL: no path, or one with a newline or NUL, which git reads differently.
char *git_pointer(char *text, size_t length, const char *prefix);
// git_read_pointer() does not follow a symlink.
enum { GIT_POINTER_MAX = 4096 };
#define GIT_FILE_PREFIX "gitdir: "
const char *git_read_pointer(int directory, const char *name, const char *prefix,
			     char text[GIT_POINTER_MAX]);
// Reads the first GIT_ALTERNATES_MAX bytes of a list of alternates into rows ROW_OBJECTS.
enum { GIT_ALTERNATES_MAX = 16384 };
int git_ask_alternates(struct arena *arena, const char *file, struct rows *ret_rows);

// Git reads only files that have a row (gitrepository-layout(5) and git's sources).
enum layout_kind {
	LAYOUT_DATA, // git runs no program that the file names
	LAYOUT_LOCK, // git's commands fail while it exists
	LAYOUT_RUN,  // git, or another known program, runs it
	LAYOUT_CONFIG,
	LAYOUT_POINTER, // leads to other directories, or to another history
	LAYOUT_ORDER,   // state of an operation that a later command continues
	LAYOUT_ADDRESS, // remotes in a form that git no longer writes
	LAYOUT_NESTED,  // has git directories below
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

// Matches in any letter case. NULL: git has no file of that name.
const struct layout_row *layout_find(const char *path);

// Whether the path has another kind than LAYOUT_DATA, also in submodules and worktrees.
bool layout_acts(const char *path);
// Whether the path is below git directories of submodules or worktrees.
bool layout_is_nested(const char *path);

struct gitform_look {
	struct arena *arena;
	const struct gitconfig *before, *after, *now; // as for gitconfig_merge()
	struct gitconfig_case how;
};

// Whether the box may set all values that `after` has for the key, or remove a key that `after`
// lacks.
bool gitform_allows(const struct gitform_look *look, const char *name);

// Files that core.hooksPath, include.path, includeIf.*.path and init.templateDir name
// (git-config(1)).

struct gitnamed_text {
	struct gitnamed_text *next;
	const char *path, *text;
	size_t length;
	bool own;
	enum apart whose;
	struct rows rows;
};

struct gitnamed {
	struct list hooks, files; // absolute paths without "." and ".."
	struct list everywhere;   // core.hooksPath that is relative to the top of any repository
	struct list settings;     // of the caller's variables, each as a text of a configuration
	struct list unclear;      // unreadable files, and files with paths that cannot be resolved
	struct gitnamed_text *first, *last;
	bool own;
	unsigned count; // files read so far
	// Says who could write `file`. NULL: `own` says it.
	enum apart (*whose)(const void *with, const char *file);
	const void *with;
};
enum { GITNAMED_FILES_MAX = 32 };

// Asks for the paths in a text of git's configuration and, with `remotes`, for the names of
// gitnamed_known(). gitnamed_ahead() sends the question early, without `remotes`.
int gitnamed_read(enum apart whose, struct arena *arena, const char *text, size_t length,
		  bool remotes, struct rows *ret_rows);
int gitnamed_ahead(const char *text, size_t length);

// Adds the paths of `rows` and of all included files, under any condition. A relative
// core.hooksPath goes to `everywhere`. It is also resolved below `top`, or below core.worktree if
// `top` is NULL.
int gitnamed_add(struct arena *arena, const char *home, const char *file, const struct rows *rows,
		 const char *top, struct gitnamed *named);

// Adds a file's paths. A missing file adds none.
int gitnamed_file(struct arena *arena, const char *home, const char *file, const char *top,
		  struct gitnamed *named);

// Adds the paths of a repository's configurations. `git`: its directory, or a file that leads
// there.
int gitnamed_repository(struct arena *arena, const char *home, const char *git, const char *top,
			struct gitnamed *named);

// Adds paths of the user's and the machine's configuration and of the caller's variables.
int gitnamed_global(struct arena *arena, const char *home, const char *config,
		    struct gitnamed *named);

// Adds names of sections, and "remote.x" for each remote that a key names.
void gitnamed_known(struct arena *arena, const struct rows *rows, struct list *known);

// Returns the first address of `remote`, or NULL.
const char *gitway_url(struct arena *arena, const struct gitconfig *config, const char *remote);
// Returns the only remote, else "origin"; "" if that remote has no address.
const char *gitway_default(struct arena *arena, const struct gitconfig *config);
// Returns the host. A path or an unreadable address is returned whole.
const char *gitway_host(struct arena *arena, const char *address);
bool gitway_is_far(const char *address); // https or ssh
// Whether git takes `name` for a remote's name, and not for an address or a path.
bool gitway_is_name(const char *name);
// Returns the part between the first dot and the last, or "".
const char *gitway_middle(struct arena *arena, const char *name);
// Whether a box may add the address: https, ssh or git. If the run made the repository (`made`),
// http and paths, too. A submodule may have a path.
bool gitway_may_lead(const char *name, const char *value, bool made);
