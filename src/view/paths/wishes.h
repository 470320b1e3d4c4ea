// What the profile, the project and sbx itself want in the view, one wish per path, unsorted.
//
// The room view/paths owns the paths that a box may see: where they come from and how they resolve.
// Uses: base apart git names nouns text. Begin with wishes.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"
#include "git/recognise.h"
#include "names/trusted.h"
#include "plan.h"

struct arena;
struct resolver;
struct stat;

// The places of a plan: directories in which names act on the host.

// Lists the directory. Valid until the next place_add(); NULL with the error said. `above`: prefix
// of the table's names there.
struct place *place_add(struct plan *plan, enum place_role role, const char *path,
			const char *above);
// Adds a name whatever the table says. Its parent has no symlinks.
int place_name(struct plan *plan, const char *path, enum act act);
const struct stood *place_had(const struct place *place, const char *name);
// The listed name of the path's first component, in any case, or NULL.
const char *place_stands(const struct place *place, const char *path);
enum act place_act(const struct place *place, const char *name, enum act *ret_below);
// True if another change would give another ctime.
bool place_is_settled(const struct stat *status);

// A path as the user wrote it -> a real path of the host, and the symlinks met on the way.

struct places {
	const char *home, *project, *current;
	char *const *environment;
};

// 1: `ret_path` is absolute and clean. 0: absent, and tolerated ('?'). Expands '?', '~', '$VAR',
// './'. Errors name file:line.
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

// A cache of directory entries: one lstat() per name and plan. Resolved paths are in `arena`, all
// else in `scratch`.
struct resolver *resolver_new(struct arena *arena, struct arena *scratch);

// Lists directories of the home: cheaper than many lookups of absent names.
void resolver_list_home(struct resolver *resolver, struct arena *arena, const char *home);

bool resolver_lacks(const struct resolver *resolver, const char *path);

// That of the nearest existing parent, and the names below.
const char *resolve_real(struct resolver *resolver, const char *path);

// 1 resolved, 0 absent; -1: `path` and links as far as the way went. Opens nothing. The mount
// compares the identity again.
int resolve_path(struct resolver *resolver, const char *path, struct resolved *ret_resolved);

enum { WISHES_MAX = 1536 };

struct wish {
	struct mount mount;
	bool pinned; // a mount without effect but one: its directory cannot be renamed
	bool covered;
	bool wall; // sbx's own protection: no line names the path
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
	struct gitnamed named; // by git's configuration
	bool named_all;
	bool shown;
	struct list secrets;
	struct list files; // other files: `named` of gitsecret.h
	struct list brought;
	struct list tops;
	struct list opened; // writable names in the project, by the user
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
// True: the home's listing lacks the profile's path "~/x".
bool wishes_lack(const struct wishes *wishes, const char *text);
int wishes_add_links(struct wishes *wishes, const struct resolved *resolved, struct origin from);
// Protects the links from number `first` on; their targets stay writable.
int wishes_keep_links(struct wishes *wishes, const struct resolved *resolved, unsigned first,
		      struct origin from);

const struct mount *wishes_seen(const struct wishes *wishes, const char *path);
bool wishes_is_reached(const struct wishes *wishes, const char *path);
// By what a file leads to. The project, and where this box may write, are others'; what the project
// names elsewhere somebody may have made, too. `with` are the wishes.
enum apart wishes_whose(const void *with, const char *file);
bool wishes_is_named(const struct wishes *wishes, const char *path, unsigned order);
bool wishes_is_seen(const struct wishes *wishes, const char *path);
bool wishes_is_lasting(const struct wishes *wishes, const char *path);
bool wishes_is_scratch(const struct wishes *wishes, const char *path);
bool wishes_is_hidden(const struct wishes *wishes, const char *path);

// A built-in line, through a variable of the caller.
bool wishes_is_by_variable(const struct item *item);
// Such a line is left out: the box has that place or something below it, or it is no directory.
bool wishes_is_taken(const struct wishes *wishes, const struct item *item);

// In a session: makes a writable directory layers over it (source NULL: over nothing), with a root
// in the session. -1 for a single file.
int lasting_mount(struct wishes *wishes, struct mount *mount);

// A name in the project that the user opens by a flag or './' line: neither protected nor taken
// away. It may be absent. True: the box can make it.
bool opened_note(struct wishes *wishes, const struct item *item, const char *path);
bool opened_has(const struct wishes *wishes, const char *path);

// Other names of what a mount hides: a mount covers one.

struct aliases {
	dev_t sound[16];
	unsigned count;
};

// The kernel compares names: a listing shows all names.
bool alias_kernel_compares(const char *path);

// Servers (9p of WSL, virtiofs of a Mac, cifs, FUSE) do not report names that differ in spelling.
// -1 with the error said: another spelling finds `mount`, below `above` on the host.
int alias_refuse(struct aliases *aliases, const struct plan *plan, const struct mount *mount,
		 const struct mount *above);

void alias_tell(struct plan *plan, const struct mount *mount, const struct mount *above);

// Two mounts show one directory: a wall at one would be useless. -1 with the error said.
int alias_refuse_routes(const struct wishes *wishes);

// What every view has, whatever the profile says: the parts of /dev, a fresh /proc and its walls.

struct fixed {
	enum mount_kind kind;
	enum access access;
	const char *target, *source;
	enum { EVERYBODY, ROOT } for_whom;
};

extern const struct fixed fixed_devices[], fixed_proc_walls[];
extern const unsigned fixed_device_count, fixed_proc_wall_count;

// What the plan does with a path, and the line that decides. Pure: reads no file.

enum verdict_of_path {
	PATH_ABSENT,
	PATH_READ,
	PATH_WRITE,
	PATH_PRIVATE,
	PATH_HIDDEN, // exists, but unreadable
};

struct judgement {
	enum verdict_of_path verdict;
	const struct mount *by;
};

struct judgement judge_path(const struct plan *plan, const char *path);

bool judge_shows(const struct plan *plan, const char *path);

// The line that denies reading, or else writing, despite all others; or NULL.
const struct item *judge_final(const struct plan *plan, const char *path, bool write);

// The kernel's table of mounts, and what it proves.

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

// Pure. -1: no lines of the kernel's, or too many.
int mounted_parse(struct arena *arena, const char *text, size_t length, struct mounts *ret);

int mounted_read(struct arena *arena, struct mounts *ret);

const struct mounted *mounted_find(const struct mounts *mounts, uint64_t id);

// A writable mount shows the file at `path`, in mount `id`, by another path, too.
bool mounted_elsewhere(const struct mounts *mounts, uint64_t id, const char *path);

bool mounted_opens(const struct mounts *mounts, const char *path);

// What a box of sbx around this process protects already, found by effect.

// In tier full.
bool outer_is_box(void);

bool outer_gives_namespaces(void);

// The command can neither write, exchange nor remove the wall, nor move a directory above it:
// mounts do this that a process without a namespace cannot undo. An empty `mounts` is read first.
bool outer_keeps(const struct plan *plan, const struct mount *wall, struct mounts *mounts);

// A box has mounted a link to its copy of git's configuration at `path`. `ret_copy`: the copy.
bool outer_copy(struct arena *arena, const char *path, struct identity *ret_link,
		const char **ret_copy);

// Searched directories (plan->searched): the deepest one around a path; one below it; the path
// itself. NULL: none.
const char *tree_around(const struct plan *plan, const char *path);
const char *tree_in(const struct plan *plan, const char *path);
bool tree_is(const struct plan *plan, const char *path);

// Lines of a profile that name a path or, in the project, a pattern.

// "**/NAME" anywhere in the project, "./dir/NAME" in one directory, NAME with '*'. Calls `found`
// for each present match. One walk serves all lines of the profile. A directory that is too deep or
// unreadable matches as a whole. Other texts are one path, by resolve_expand().
int pattern_each(struct wishes *wishes, const struct item *item,
		 int (*found)(struct wishes *wishes, const struct item *item, const char *path));

struct pattern_match {
	const struct item *item;
	const char *path;
	bool whole;
};
// Names, in any case, in the project's top three levels and the command's directory, but not in
// directories of packages and builds. Returns how many; paths are in `arena`.
unsigned pattern_near(struct wishes *wishes, struct arena *arena, const struct list *names,
		      const struct pattern_match **ret_matches);
// Symlinks that lead a named path out of where boxes write (CVE-2024-42472).

bool planted_is(const struct wishes *wishes, const struct resolved *resolved);

// A command could replace a named directory by a link to any file of the caller's. -1 with the
// error said: a link in the project, or in a writable directory, leads out to a path that the box
// would see.
int planted_refuse(const struct wishes *wishes);

// Which directory is the project, and which never is.

// Fills plan->project (NULL: none wanted). Refuses the root, the home, system and shared
// directories, and those around or in sbx's own files.
int project_plan(struct plan *plan);

const char *project_find(const struct plan *plan);

// --project-dir: also a home (container images), in which sbx's own directories can be mounted
// over.
int project_give(struct plan *plan, const char *directory, char *const *environment,
		 const char *config, const char *state);

// Why no box may write the path, or NULL. Also for --write and caches.
const char *project_refusal(const struct plan *plan, const char *path);

// Hidden paths below readable ones, for a wall that cannot deny inside of what it allows.

// Replaces each directory around a hidden path by its other entries of now, and drops the masks.
// Refuses where the box may write.
int split_plan(struct plan *plan);
