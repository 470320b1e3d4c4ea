// The room view/paths owns wishes: the paths that the profile, the project and sbx want in the
// view, unsorted. Uses: base, apart, git, names, nouns, text. Begin with wishes.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"
#include "git/git.h"
#include "names/names.h"
#include "plan.h"

struct arena;
struct resolver;
struct stat;

// Places are directories with names that the host acts on.

// Adds the directory and lists its names. `above`: its path in the table of names. The result is
// valid until the next call. NULL: reported.
struct place *place_add(struct plan *plan, enum place_role role, const char *path,
			const char *above);
// Adds a name that the table of names may lack. No parent of `path` is a symlink.
int place_name(struct plan *plan, const char *path, enum act act);
const struct stood *place_had(const struct place *place, const char *name);
// Returns the listed name of the path's first component, in any letter case, or NULL.
const char *place_stands(const struct place *place, const char *path);
enum act place_act(const struct place *place, const char *name, enum act *ret_below);
// True for a protected git directory, and for those of its submodules and worktrees.
bool place_is_git(const struct plan *plan, const char *path);
// True if the ctime is old: a later change then has another ctime.
bool place_is_settled(const struct stat *status);

struct places {
	const char *home, *project, *current;
	char *const *environment;
};

// Expands '?', '~', '$VAR' and './'. Returns 1 with an absolute, clean `ret_path`, or 0 for an
// unset variable after '?' and for a relative path without a project. Errors name file:line.
int resolve_expand(struct arena *arena, const struct places *places, const struct item *item,
		   const char **ret_path);

struct link {
	const char *path, *text;
};
enum { LINKS_MAX = 40 };
struct resolved {
	const char *path;
	struct identity identity;
	struct link links[LINKS_MAX];
	unsigned link_count;
};

// A cache of directory entries: one lstat() per name and plan. Resolved paths are in `arena`, the
// rest in `scratch`.
struct resolver *resolver_new(struct arena *arena, struct arena *scratch);

// Lists directories of the home, which is cheaper than many failing lookups.
void resolver_list_home(struct resolver *resolver, struct arena *arena, const char *home);

bool resolver_lacks(const struct resolver *resolver, const char *path);

// Returns the real path of the nearest existing parent, with the names below it.
const char *resolve_real(struct resolver *resolver, const char *path);

// Returns 1, or 0 if the path is absent, or -1 with `path` and links as far as they resolved. Opens
// nothing. The mount compares the identity again.
int resolve_path(struct resolver *resolver, const char *path, struct resolved *ret_resolved);

enum { WISHES_MAX = 1536 };

struct wish {
	struct mount mount;
	bool pinned; // a bind of a directory over itself: it cannot be renamed
	bool covered;
	bool wall; // protection by sbx, without a line of the user
};

struct hidden {
	const char *path;
	size_t length;
};

struct wishes {
	struct plan *plan;
	struct arena *arena;
	struct places places;
	struct homes homes;
	struct resolver *resolver;
	struct wish *list, **sorted;
	unsigned count;
	struct hidden *hidden;
	unsigned hidden_count;
	struct gitnamed named; // names in git's configuration
	bool named_all;
	bool shown;
	struct list secrets;
	struct list files; // files that git configurations name (struct gitsecret)
	struct list brought;
	struct list tops;
	struct list opened; // names in the project that the user made writable
	bool searched;
	struct pattern_match *matches;
	unsigned match_count, match_room;
};

int wishes_add(struct wishes *wishes, const struct mount *mount, bool pinned);
int wishes_add_wall(struct wishes *wishes, const struct mount *mount);
int wishes_add_path(struct wishes *wishes, const char *path, struct origin from,
		    enum access access);
int wishes_resolve_new(struct wishes *wishes, const char *path, struct origin from,
		       const char **ret_path, struct identity *ret_identity);
// True if the home's listing lacks the profile's path "~/x".
bool wishes_lack(const struct wishes *wishes, const char *text);
int wishes_add_links(struct wishes *wishes, const struct resolved *resolved, struct origin from);
// Protects links from number `first` on. Their targets stay writable.
int wishes_keep_links(struct wishes *wishes, const struct resolved *resolved, unsigned first,
		      struct origin from);

const struct mount *wishes_seen(const struct wishes *wishes, const char *path);
bool wishes_is_reached(const struct wishes *wishes, const char *path);
// Says who can write the file. APART_OTHERS: it is in the project, or where this box may write.
// `with`: the wishes.
enum apart wishes_whose(const void *with, const char *file);
bool wishes_is_named(const struct wishes *wishes, const char *path, unsigned order);
bool wishes_is_seen(const struct wishes *wishes, const char *path);
bool wishes_is_lasting(const struct wishes *wishes, const char *path);
bool wishes_is_scratch(const struct wishes *wishes, const char *path);
bool wishes_is_hidden(const struct wishes *wishes, const char *path);

// True for a built-in line with a variable of the caller.
bool wishes_is_by_variable(const struct item *item);
// True if the line is left out: the box has the path or one below it, or it is no directory.
bool wishes_is_taken(const struct wishes *wishes, const struct item *item);

// In a session, replaces a writable directory by layers over it (source NULL: over nothing) and
// adds it to the session's roots. Returns -1 for a single file.
int lasting_mount(struct wishes *wishes, struct mount *mount);

// Notes a name in the project that a flag or './' line makes writable, which ends its protection.
// Returns whether the box can create it.
bool opened_note(struct wishes *wishes, const struct item *item, const char *path);
bool opened_has(const struct wishes *wishes, const char *path);

struct aliases {
	dev_t sound[16];
	unsigned count;
};

// True if the kernel, not a server, compares names: a listing or a mount then covers all spellings.
bool alias_kernel_compares(const char *path);

// Servers (9p of WSL, virtiofs of a Mac, cifs, FUSE) may find one file by several spellings.
// Returns -1 and reports when another spelling finds `mount` below `above`.
int alias_refuse(struct aliases *aliases, const struct plan *plan, const struct mount *mount,
		 const struct mount *above);

void alias_tell(struct plan *plan, const struct mount *mount, const struct mount *above);

// Returns -1 and reports when two mounts show one directory: each would undo the other's
// protection.
int alias_refuse_routes(const struct wishes *wishes);

struct fixed {
	enum mount_kind kind;
	enum access access;
	const char *target, *source;
	enum { EVERYBODY, ROOT } for_whom;
};

extern const struct fixed fixed_devices[], fixed_proc_walls[];
extern const unsigned fixed_device_count, fixed_proc_wall_count;

// Says from the plan alone which access a path has, and by which line.

enum verdict_of_path {
	PATH_ABSENT,
	PATH_READ,
	PATH_WRITE,
	PATH_PRIVATE,
	PATH_HIDDEN,
};

struct judgement {
	enum verdict_of_path verdict;
	const struct mount *by;
};

struct judgement judge_path(const struct plan *plan, const char *path);

bool judge_shows(const struct plan *plan, const char *path);

// Returns the line that denies reading, or writing, whatever other lines say; or NULL.
const struct item *judge_final(const struct plan *plan, const char *path, bool write);

struct mounted {
	uint64_t id, device;
	const char *root, *point;
	bool writable;
};
struct mounts {
	struct mounted *list;
	unsigned count;
};
enum { MOUNTED_MAX = 16384 };

// Returns -1 for other lines than the kernel's, or too many.
int mounted_parse(struct arena *arena, const char *text, size_t length, struct mounts *ret);

int mounted_read(struct arena *arena, struct mounts *ret);

const struct mounted *mounted_find(const struct mounts *mounts, uint64_t id);

// True if a writable mount shows the file at `path`, in mount `id`, at another path.
bool mounted_elsewhere(const struct mounts *mounts, uint64_t id, const char *path);

bool mounted_opens(const struct mounts *mounts, const char *path);

// Protection by a box of sbx around this process.

// Finds only boxes of tier full.
bool outer_is_box(void);

bool outer_gives_namespaces(void);

// True if the command cannot write, exchange or remove the path, nor move a directory above it,
// because of an outer box's mounts. Fills an empty `mounts`.
bool outer_keeps(const struct plan *plan, const struct mount *wall, struct mounts *mounts);

// True if an outer box has mounted a link to its copy of git's configuration at `path`.
// `ret_copy`: the copy.
bool outer_copy(struct arena *arena, const char *path, struct identity *ret_link,
		const char **ret_copy);

// Search plan->trees: tree_around() returns the deepest one at or above a path, tree_in() one at or
// below it; or NULL.
const char *tree_around(const struct plan *plan, const char *path);
const char *tree_in(const struct plan *plan, const char *path);
bool tree_is(const struct plan *plan, const char *path);

// Calls `found` for each match: "**/NAME" anywhere in the project, "./dir/NAME" in one directory,
// NAME with '*'. A directory that is too deep or unreadable matches as a whole. Other texts are
// one path (resolve_expand()).
int pattern_each(struct wishes *wishes, const struct item *item,
		 int (*found)(struct wishes *wishes, const struct item *item, const char *path));

struct pattern_match {
	const struct item *item;
	const char *path;
	bool whole;
};
// Finds names, in any letter case, in the project's top three levels and the command's directory,
// without packages and builds. Returns the count; paths are in `arena`.
unsigned pattern_near(struct wishes *wishes, struct arena *arena, const struct list *names,
		      const struct pattern_match **ret_matches);
// A box may make symlinks that lead a named path out of directories that boxes write
// (CVE-2024-42472).

bool planted_is(const struct wishes *wishes, const struct resolved *resolved);

// Returns -1 and reports when a link in a directory that boxes write leads out to a path that the
// box would see.
int planted_refuse(const struct wishes *wishes);

// Fills plan->project (NULL: none). Refuses the root, the home, system and shared directories, and
// those above or in sbx's own files.
int project_plan(struct plan *plan);

const char *project_find(const struct plan *plan);

// Takes the directory of --project-dir: also a home (container images) in which mounts can cover
// sbx's own directories.
int project_give(struct plan *plan, const char *directory, char *const *environment,
		 const char *config, const char *state);

// Returns why no box may write the path, or NULL. Also used for --write and caches.
const char *project_refusal(const struct plan *plan, const char *path);

// Landlock cannot deny a path below an allowed one. Replaces directories above a hidden path by
// their other present entries, and drops the masks. Fails where the box may write.
int split_plan(struct plan *plan);
