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

// Lists the directory. The place is valid until the next is added; NULL with the error said.
// `above`: of the table's names, what they begin with there.
struct place *place_add(struct plan *plan, enum place_role role, const char *path,
			const char *above);
// A name by its path, whatever the table says. Its parent has no symlinks.
int place_name(struct plan *plan, const char *path, enum act act);
// What stood there by that name, or NULL.
const struct stood *place_had(const struct place *place, const char *name);
// Its name for the first component of a path there, in whatever case, or NULL.
const char *place_stands(const struct place *place, const char *path);
// The act on a name that comes there, and on those below it.
enum act place_act(const struct place *place, const char *name, enum act *ret_below);
// Whether another change of a directory would have another ctime.
bool place_is_settled(const struct stat *status);

// A path as the user wrote it -> a real path of the host, and the symlinks met on the way.

// Where '~', './' and bare names point, and the caller's variables.
struct places {
	const char *home, *project, *current;
	char *const *environment;
};

// 1: resolved, `ret_path` absolute and clean. 0: not to be had and not demanded ('?').
// Expands '?', '~', '$VAR', './'. Says file:line in its errors.
int resolve_expand(struct arena *arena, const struct places *places, const struct item *item,
		   const char **ret_path);

struct link {
	const char *path, *text;
};
enum { LINKS_MAX = 40 };
struct resolved {
	const char *path; // without symlinks; of what does not exist, as far as it does
	struct identity identity;
	struct link links[LINKS_MAX]; // the symlinks on the way, outermost first
	unsigned link_count;
};

// The state of each directory entry that was asked for: one lstat() per name and plan.
// Paths that it finds are in the first arena, what it knows in the second.
struct resolver *resolver_new(struct arena *arena, struct arena *scratch);

// Learns all names of directories of the home: asked for many names that are not there, one listing
// is cheaper than a look at each.
// Nearly all that a profile names or hides in the home would be in these, and is not there.
void resolver_list_home(struct resolver *resolver, struct arena *arena, const char *home);

// True when a listing says that nothing is there: no look, no memory. False when it may be.
bool resolver_lacks(const struct resolver *resolver, const char *path);

// The real path of something that need not exist: that of its nearest parent that does, and the
// names below it.
const char *resolve_real(struct resolver *resolver, const char *path);

// 1 resolved, 0 does not exist, -1 error: then the path is where the way ends, and the links those
// before it. Opens nothing. The answer may be stale at once: the
// mount compares the identity again.
int resolve_path(struct resolver *resolver, const char *path, struct resolved *ret_resolved);

enum { WISHES_MAX = 1536 };

struct wish {
	struct mount mount;
	bool pinned;  // made even when it changes nothing: a mount point cannot be renamed
	bool covered; // by a secret that was named after it
	bool wall;    // made by sbx to protect: does not mean that a line names the path
};

struct hidden {
	const char *path;
	size_t length;
};

struct wishes {
	struct plan *plan;
	struct arena *arena;
	struct places places;
	struct homes homes; // made when it is first asked for
	struct resolver *resolver;
	struct wish *list, **sorted; // `sorted` points to each, in the order they came
	unsigned count;
	struct hidden *hidden; // also of paths that do not exist
	unsigned hidden_count;
	struct gitnamed named; // by git's configuration
	bool named_all;        // that of the user and the machine, too
	bool shown;            // one of them is in the box
	struct list secrets;   // files of secrets that it names
	struct list files;     // and other files: `named` of gitsecret.h
	struct list brought;   // what came along with its name (view/secrets/brought.h)
	struct list tops;      // of repositories, or where one could be made
	struct list opened;    // names in the project that the user named as writable
	bool searched;         // the project, for its patterns
	struct pattern_match *matches;
	unsigned match_count, match_room;
};

int wishes_add(struct wishes *wishes, const struct mount *mount, bool pinned);
int wishes_add_wall(struct wishes *wishes, const struct mount *mount);
// A path that is written out: 1 wished for, 0 it does not exist.
int wishes_add_path(struct wishes *wishes, const char *path, struct origin from,
		    enum access access);
// The real path of something that need not exist: 1, or -1.
int wishes_resolve_new(struct wishes *wishes, const char *path, struct origin from,
		       const char **ret_path, struct identity *ret_identity);
// Whether the home's listing alone says that a path of a profile ("~/x") does not exist. False when
// it may.
bool wishes_lack(const struct wishes *wishes, const char *text);
int wishes_add_links(struct wishes *wishes, const struct resolved *resolved, struct origin from);
// Makes the links on a way stay as they are, from the one with that number on. What they lead to
// does not become read-only.
int wishes_keep_links(struct wishes *wishes, const struct resolved *resolved, unsigned first,
		      struct origin from);

// What the box will see at `path`, by the wishes so far; NULL: nothing of anybody's.
const struct mount *wishes_seen(const struct wishes *wishes, const char *path);
// Whether the box changes the host's file when it writes there.
bool wishes_is_reached(const struct wishes *wishes, const char *path);
// By what a file leads to. The project, and where this box may write, are others'; what the project
// names elsewhere somebody may have made, too. `with` are the wishes.
enum apart wishes_whose(const void *with, const char *file);
// Whether somebody wrote this very path after the line of that order.
bool wishes_is_named(const struct wishes *wishes, const char *path, unsigned order);
// Whether the box sees the host's file there.
bool wishes_is_seen(const struct wishes *wishes, const char *path);
// Whether what it writes there goes to a session.
bool wishes_is_lasting(const struct wishes *wishes, const char *path);
// Whether it goes to an overlay, of a session or of this run: the host's files cannot be changed.
bool wishes_is_scratch(const struct wishes *wishes, const char *path);
// Whether a line hides it, of those that were gone through.
bool wishes_is_hidden(const struct wishes *wishes, const char *path);

// Whether a line is built in and a variable of the caller names its place.
bool wishes_is_by_variable(const struct item *item);
// Whether such a line is left out: the box has that place, or something below it, or it is no
// directory.
bool wishes_is_taken(const struct wishes *wishes, const struct item *item);

// In a session: makes the wish for a writable directory one for layers over it (source NULL: over
// nothing), and gives the session a root for it. A single file cannot be: -1.
int lasting_mount(struct wishes *wishes, struct mount *mount);

// A name in the project that the user opens himself, by a flag or a line with './': it is neither
// protected nor taken away, and need not be there. True where the box can make it.
bool opened_note(struct wishes *wishes, const struct item *item, const char *path);
bool opened_has(const struct wishes *wishes, const char *path);

// Other names of what a mount keeps from the box: a mount covers one.

// Devices whose names have been found to be what the kernel takes them for.
struct aliases {
	dev_t sound[16];
	unsigned count;
};

// Whether it is the kernel that compares names on the file system of a path: a listing shows all
// that can be found.
bool alias_kernel_compares(const char *path);

// The kernel's own file systems know when another spelling is the same name; those of a server (9p
// of WSL, virtiofs of a Mac, cifs, FUSE) do not say it. -1 with the error said when such a one
// finds `mount`, which lies on the host below `above`, by another spelling.
int alias_refuse(struct aliases *aliases, const struct plan *plan, const struct mount *mount,
		 const struct mount *above);

// Warns of a file that has hard links.
void alias_tell(struct plan *plan, const struct mount *mount, const struct mount *above);

// One directory by two names: a wall at one of them would be none. -1 with the error said.
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

// What the plan makes of a path, and the line that decides. Pure: looks at no file.

enum verdict_of_path {
	PATH_ABSENT, // not in the box
	PATH_READ,
	PATH_WRITE,   // changes reach the host, or a session's layer
	PATH_PRIVATE, // writable and thrown away, or kept apart from the host's
	PATH_HIDDEN,  // exists, and cannot be read
};

struct judgement {
	enum verdict_of_path verdict;
	const struct mount *by; // NULL when nothing names the path
};

// `path` is absolute and clean, as it is called in the box.
struct judgement judge_path(const struct plan *plan, const char *path);

// Whether the box has the host's file there, or a copy of it.
bool judge_shows(const struct plan *plan, const char *path);

// The line that keeps it from being read, or else written, whatever other lines and flags say; or
// NULL.
const struct item *judge_final(const struct plan *plan, const char *path, bool write);

// The table of mounts as the kernel writes it, and what it proves.

// One line of proc_pid_mountinfo(5), names without their escapes.
struct mounted {
	uint64_t id, device;
	const char *root, *point; // in the file system, and in the view
	bool writable;            // the mount and its file system are
};
struct mounts {
	struct mounted *list;
	unsigned count;
};
enum { MOUNTED_MAX = 16384 };

// Pure: 0, or -1 when a line is none of the kernel's or there are too many.
int mounted_parse(struct arena *arena, const char *text, size_t length, struct mounts *ret);

// Of this process; -1 when it cannot be read whole.
int mounted_read(struct arena *arena, struct mounts *ret);

const struct mounted *mounted_find(const struct mounts *mounts, uint64_t id);

// Whether a writable mount shows the file at `path`, in the mount `id`, by another path, too.
bool mounted_elsewhere(const struct mounts *mounts, uint64_t id, const char *path);

// Whether something that is mounted below `path` can be written.
bool mounted_opens(const struct mounts *mounts, const char *path);

// What a box of sbx around this process keeps already, found out by effect.

// Whether this process stands in a box of sbx, in tier full.
bool outer_is_box(void);

// Whether such a box lets a further one make namespaces.
bool outer_gives_namespaces(void);

// Whether the command can neither write, exchange nor remove the wall, nor carry it away with a
// directory above: by mounts that a process without a namespace cannot take away.
// `mounts` is read when it is empty.
bool outer_keeps(const struct plan *plan, const struct mount *wall, struct mounts *mounts);

// Whether a link to a copy of git's configuration is mounted at `path`, as a box does it; a link of
// a project's own is none. `ret_copy` is the copy.
bool outer_copy(struct arena *arena, const char *path, struct identity *ret_link,
		const char **ret_copy);

// Directories that are looked through for repositories (plan->searched): the one that a path lies
// in, of two the deeper; one that lies in the path; whether it is one. NULL: none.
const char *tree_around(const struct plan *plan, const char *path);
const char *tree_in(const struct plan *plan, const char *path);
bool tree_is(const struct plan *plan, const char *path);

// Lines of a profile that name a path or, in the project, a pattern.

// "**/NAME" anywhere in the project, "./dir/NAME" in one directory; NAME may have '*'. Calls
// `found` for each path that matches now. The project is walked once, for all lines of the profile.
// Directories that are too deep, or cannot be listed, match as a whole. Other texts are one path,
// by resolve_expand().
int pattern_each(struct wishes *wishes, const struct item *item,
		 int (*found)(struct wishes *wishes, const struct item *item, const char *path));

// A path that a pattern fits.
struct pattern_match {
	const struct item *item;
	const char *path;
	bool whole; // a directory that cannot be searched
};
// Names in the top three levels of the project and in the command's directory, in whatever case:
// not below directories of packages and builds. How many; the paths lie in `arena`.
unsigned pattern_near(struct wishes *wishes, struct arena *arena, const struct list *names,
		      const struct pattern_match **ret_matches);
// Symlinks that lead a named path out of where boxes write (CVE-2024-42472 in another sandbox).

// Whether a link on the way stands where a box could have made it, and leads out of there.
bool planted_is(const struct wishes *wishes, const struct resolved *resolved);

// A command that could write there may have replaced a named directory by a link to any file of the
// caller's. -1 with the error said where such a link leads to a path that the box would see: a link
// in the project, or in a writable directory, that leads out of it.
int planted_refuse(const struct wishes *wishes);

// Which directory is the project, and which never is.

// Fills plan->project (NULL when the profile wants none). Refuses the root, the home directory,
// system and shared directories, and anything that holds or lies in sbx's own files. Rule 11.
int project_plan(struct plan *plan);

// The git toplevel or the current directory; NULL when that is refused. Says nothing.
const char *project_find(const struct plan *plan);

// --project-dir: this directory is the project, even when it is the home (container images), where
// sbx's own directories, by these names, can be mounted over.
int project_give(struct plan *plan, const char *directory, char *const *environment,
		 const char *config, const char *state);

// Why a path must not be writable in a box, or NULL. Also for --write and caches. Rule 12.
const char *project_refusal(const struct plan *plan, const char *path);

// Hidden paths below readable ones, for a wall that cannot deny inside of what it allows.

// Replaces each directory that holds something hidden by its other entries, as they are now.
// Refuses where the box may write. The masks are gone afterwards.
int split_plan(struct plan *plan);
