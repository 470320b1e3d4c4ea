// Owns the protection of git repositories by their layout (gitrepository-layout(5)): .git as
// directory or file, common directory, worktrees, submodules.
#include "view/protect/protect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/git.h"
#include "view/paths/wishes.h"

enum { ENTRIES_MAX = 64, DEPTH_MAX = 4 };

static int protect_directory(struct wishes *wishes, const char *directory, const char *top,
			     struct origin from, unsigned depth);

static int protect_worktree(struct wishes *wishes, const char *path, struct origin from,
			    unsigned depth)
{
	(void)depth;
	struct place place;
	return git_parts_protect(wishes, path, NULL, from, LAYOUT_WORKTREE, &place);
}

// Protects a directory with a name that git does not use, but with the parts of a git directory.
static int protect_unknown(struct wishes *wishes, const char *path, struct origin from,
			   unsigned depth)
{
	autoclose int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || git_directory(fd) == GIT_NONE || !protect_has_room(wishes))
		return 0;
	return protect_directory(wishes, path, NULL, from, depth + 1);
}

// Makes a directory with too many entries read-only by one mount. The project's own entry stays
// writable: git commits there.
static int protect_crowd(struct wishes *wishes, const char *directory, enum act act,
			 struct origin from)
{
	struct plan *plan = wishes->plan;
	const char *own = plan->index ? path_parent(wishes->arena, plan->index) : "/";
	struct resolved resolved;
	list_add(&plan->notes, wishes->arena,
		 arena_text(wishes->arena,
			    "'%s' has more than %d entries and is read-only; 'git worktree prune' "
			    "outside of a box forgets those that are gone",
			    directory, ENTRIES_MAX),
		 from);
	TRY(protect_name(wishes, directory, act, from));
	if (act != ACT_WORKTREES || !str_equal(path_parent(wishes->arena, own), directory) ||
	    resolve_path(wishes->resolver, own, &resolved) != 1 || !str_equal(resolved.path, own))
		return 0;
	struct mount bind = { .kind = MOUNT_BIND, .access = ACCESS_WRITE, .from = from };
	bind.source = bind.target = own;
	bind.identity = resolved.identity;
	TRY(wishes_add_wall(wishes, &bind));
	return protect_worktree(wishes, own, from, 0);
}

static bool is_entry(const char *name, unsigned type)
{
	return name[0] != '.' && (type == DT_DIR || type == DT_UNKNOWN);
}

// Calls `each` for every subdirectory. A directory with too many becomes read-only as a whole.
static int each_entry(struct wishes *wishes, const char *directory, enum act act,
		      struct origin from, unsigned depth,
		      int (*each)(struct wishes *wishes, const char *path, struct origin from,
				  unsigned depth))
{
	struct stat status;
	if (lstat(directory, &status) < 0)
		return errno == ENOENT ? 0 : protect_failed(wishes, directory);
	if (!S_ISDIR(status.st_mode))
		return protect_name(wishes, directory, ACT_QUARANTINE, from);
	if (access(directory, R_OK | X_OK) < 0)
		return protect_failed(wishes, directory);
	const struct place *listed =
		place_add(wishes->plan, act == ACT_WORKTREES ? PLACE_WORKTREES : PLACE_MODULES,
			  directory, "");
	if (!listed)
		return -1;
	const struct place place = *listed;
	const ptrdiff_t number = listed - wishes->plan->places;
	bool crowd = place.part || place.count > ENTRIES_MAX;
	for (unsigned i = 0; i < place.count && !crowd; i++) {
		const struct stood *entry = &place.before[i];
		crowd = !protect_has_room(wishes);
		if (!crowd && is_entry(entry->name, entry->type))
			TRY(each(wishes, path_below(wishes->arena, directory, entry->name), from,
				 depth));
	}
	if (!crowd)
		return 0;
	wishes->plan->places[number].role = PLACE_NAMED;
	wishes->plan->places[number].count = 0;
	return protect_crowd(wishes, directory, act, from);
}

// A submodule's name may have slashes: a directory without HEAD has more directories below.
static int protect_module(struct wishes *wishes, const char *path, struct origin from,
			  unsigned depth)
{
	if (access(path_below(wishes->arena, path, "HEAD"), F_OK) == 0)
		return protect_directory(wishes, path, NULL, from, depth + 1);
	if (depth >= DEPTH_MAX)
		return protect_name(wishes, path, ACT_MODULES, from);
	return each_entry(wishes, path, ACT_MODULES, from, depth + 1, protect_module);
}

static int protect_nested(struct wishes *wishes, const struct place *place, struct origin from,
			  unsigned depth)
{
	const char *directory = place->path,
		   *modules = path_below(wishes->arena, directory, "modules");
	if (depth >= DEPTH_MAX)
		return protect_name(wishes, modules, ACT_QUARANTINE, from);
	for (unsigned i = 0; i < place->count; i++)
		if (place->before[i].type == DT_DIR && !layout_find(place->before[i].name))
			TRY(protect_unknown(
				wishes, path_below(wishes->arena, directory, place->before[i].name),
				from, depth));
	if (place_had(place, "worktrees"))
		TRY(each_entry(wishes, path_below(wishes->arena, directory, "worktrees"),
			       ACT_WORKTREES, from, depth, protect_worktree));
	return place_had(place, "modules")
		       ? each_entry(wishes, modules, ACT_MODULES, from, depth, protect_module)
		       : 0;
}

// Follows links that git-new-workdir and `repo` make for required parts. `place` may be NULL.
static void follow_parts(struct wishes *wishes, const char *directory, const struct place *place)
{
	static const char *const names[] = { "objects", "refs" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct stood *stood = place ? place_had(place, names[i]) : NULL;
		if (!place || (stood && stood->type != DT_DIR))
			beyond_part(wishes, path_below(wishes->arena, directory, names[i]));
	}
}

static int protect_directory(struct wishes *wishes, const char *directory, const char *top,
			     struct origin from, unsigned depth)
{
	struct stat status;
	const char *info = path_below(wishes->arena, directory, "info");
	if (lstat(info, &status) == 0 && !S_ISDIR(status.st_mode))
		TRY(protect_name(wishes, info, ACT_QUARANTINE, from));
	struct place place;
	TRY(git_parts_protect(wishes, directory, top, from, LAYOUT_SHARED, &place));
	TRY(protect_nested(wishes, &place, from, depth));
	follow_parts(wishes, directory, &place);
	return 0;
}

// Shows other worktrees, unless there are too many: git cannot prune a read-only list.
static int show_worktrees(struct wishes *wishes, const char *common)
{
	unsigned count = 0;
	const char *directory = path_below(wishes->arena, common, "worktrees");
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	entries_some (entry, fd, ENTRIES_MAX + 1)
		count++;
	if (fd < 0 || count > ENTRIES_MAX || lseek(fd, 0, SEEK_SET) < 0)
		return 0;
	entries_each (entry, fd)
		if (is_entry(entry->name, entry->type) && protect_has_room(wishes))
			TRY(beyond_show_worktree(
				wishes, common, path_below(wishes->arena, directory, entry->name)));
	return 0;
}

// Binds the directory over itself: a box cannot move it away from the mounts in it.
static int add_directory(struct wishes *wishes, const char *path, const struct identity *identity,
			 const char *top, struct origin from)
{
	struct plan *plan = wishes->plan;
	struct mount bind = { .kind = MOUNT_BIND, .access = ACCESS_WRITE, .from = from };
	bind.source = bind.target = path;
	bind.identity = *identity;
	if (place_is_git(plan, path))
		return 0;
	if (!plan->index)
		plan->index = path_below(wishes->arena, path, "index");
	if (!plan->session && plan->project && top && str_equal(top, plan->project))
		plan->repository = path_parent(wishes->arena, plan->index);
	TRY(show_worktrees(wishes, path));
	if (!plan->session) {
		TRY(wishes_add_wall(wishes, &bind));
		return protect_directory(wishes, path, top, from, 0);
	}
	follow_parts(wishes, path, NULL);
	TRY(lasting_mount(wishes, &bind));
	return wishes_add_wall(wishes, &bind);
}

// Requires a user's line for an outside git directory that does not point back.
static int follow_beyond(struct wishes *wishes, const char *file, const struct resolved *directory)
{
	if (!beyond_directory(wishes, file, directory->path))
		return beyond_lacks(wishes, file, "it does not point back here");
	if (!wishes->plan->index && wishes_is_seen(wishes, directory->path))
		wishes->plan->index = path_below(wishes->arena, directory->path, "index");
	return 0;
}

// Follows a file "gitdir: PATH". A directory outside of the project must point back, or a project
// could name anybody's repository.
static int follow_file(struct wishes *wishes, const char *root, const char *file,
		       struct origin from)
{
	struct arena *arena = wishes->arena;
	struct resolved directory, common;
	const char *pointer = beyond_pointer(arena, file, GIT_FILE_PREFIX);
	if (!pointer)
		return beyond_lacks(wishes, file, "it is not a pointer of git's");
	int found = ATTEMPT(
		resolve_path(wishes->resolver, path_join(arena, root, pointer), &directory));
	if (found <= 0 || directory.identity.type != S_IFDIR || path_within(root, directory.path))
		return beyond_lacks(wishes, file, "the directory does not exist");
	if (path_within(directory.path, root))
		return add_directory(wishes, directory.path, &directory.identity, root, from);
	const char *back = beyond_pointer(arena, path_below(arena, directory.path, "gitdir"), "");
	const char *shared =
		beyond_pointer(arena, path_below(arena, directory.path, "commondir"), "");
	common = directory;
	if (back && shared &&
	    ATTEMPT(resolve_path(wishes->resolver, path_join(arena, directory.path, shared),
				 &common)) != 1)
		return beyond_lacks(wishes, file, "its commondir does not exist");
	bool worktree = back && beyond_leads_to(wishes, directory.path, back, file) &&
			str_equal(path_parent(arena, directory.path),
				  path_below(arena, common.path, "worktrees"));
	bool module = !shared && beyond_leads_to(wishes, directory.path,
						 beyond_worktree(wishes, directory.path), root);
	if (!worktree && !module && !shared)
		return follow_beyond(wishes, file, &directory);
	if (!worktree && !module)
		return beyond_lacks(wishes, file, "it does not point back here");
	const char *why = project_refusal(wishes->plan, common.path);
	if (why)
		return beyond_lacks(wishes, file, why);
	if (!wishes->plan->index)
		wishes->plan->index = path_below(arena, directory.path, "index");
	return add_directory(wishes, common.path, &common.identity, root, from);
}

int repository_protect_top(struct wishes *wishes, const char *root, struct origin from)
{
	struct stat status;
	const char *head = path_below(wishes->arena, root, "HEAD");
	if (lstat(head, &status) == 0) {
		autoclose int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && git_directory(fd) != GIT_NONE)
			return protect_directory(wishes, root, NULL, from, 0);
	}
	return protect_guard(wishes, head, ACT_BARE);
}

static int follow_link(struct wishes *wishes, const char *root, const char *path,
		       struct origin from)
{
	struct resolved resolved;
	if (ATTEMPT(resolve_path(wishes->resolver, path, &resolved)) != 1 ||
	    resolved.identity.type != S_IFDIR || path_within(root, resolved.path))
		return beyond_lacks(wishes, path, "it is a symlink that leads to no repository");
	if (!path_within(resolved.path, root))
		return follow_beyond(wishes, path, &resolved);
	return wishes->plan->session
		       ? 0
		       : add_directory(wishes, resolved.path, &resolved.identity, root, from);
}

int repository_follow(struct wishes *wishes, const char *root, struct origin from)
{
	struct stat status;
	const char *path = path_below(wishes->arena, root, ".git");
	if (lstat(path, &status) < 0)
		return 0;
	if (S_ISDIR(status.st_mode)) {
		beyond_alternates(wishes,
				  path_below(wishes->arena, path, "objects/info/alternates"));
		follow_parts(wishes, path, NULL);
		return show_worktrees(wishes, path);
	}
	if (S_ISLNK(status.st_mode))
		return follow_link(wishes, root, path, from);
	return S_ISREG(status.st_mode) ? follow_file(wishes, root, path, from) : 0;
}

int repository_protect(struct wishes *wishes, const char *root, struct origin from)
{
	struct arena *arena = wishes->arena;
	const char *path = path_below(arena, root, ".git");
	struct stat status;
	list_add(&wishes->tops, wishes->plan->scratch, root, from);
	if (lstat(path, &status) < 0)
		return protect_guard(wishes, path, ACT_REPOSITORY);
	if (S_ISDIR(status.st_mode) && !wishes_is_reached(wishes, path))
		return 0;
	if (S_ISDIR(status.st_mode)) {
		struct identity identity = { status.st_dev, status.st_ino, S_IFDIR };
		return add_directory(wishes, path, &identity, root, from);
	}
	TRY(protect_name(wishes, path, ACT_REPOSITORY, from));
	if (S_ISREG(status.st_mode))
		return follow_file(wishes, root, path, from);
	return follow_link(wishes, root, path, from);
}

int repository_protect_known(struct wishes *wishes, const struct resolved *known,
			     struct origin from)
{
	const char *path = known->path;
	if (str_equal(path_name(path), ".git"))
		return repository_protect(wishes, path_parent(wishes->arena, path), from);
	TRY(repository_protect(wishes, path, from));
	return add_directory(wishes, path, &known->identity, NULL, from);
}
