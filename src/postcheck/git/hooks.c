// Owns the look at hooks and files that git's configuration names, in a repository without walls.
#include "postcheck/git/vet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/recognise.h"
#include "postcheck/finding/finding.h"
#include "view/paths/wishes.h"

enum { DEPTH_MAX = 4, HOOK_BYTES_MAX = 1 << 20 };

struct hooks {
	struct check *check;
	const char *directory, *suffix; // which a directory with walls has as well
};

static bool is_walled(const struct plan *plan, const char *path)
{
	const struct mount *last = NULL;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (path_within(path, mount->target) &&
		    (!last || path_within(mount->target, last->target)))
			last = mount;
	}
	return last && last->access == ACCESS_READ;
}

static bool is_same(struct arena *arena, const char *one, const char *other)
{
	const char *text, *same;
	size_t length, size;
	return file_read(AT_FDCWD, one, 0, HOOK_BYTES_MAX, arena, &text, &length) > 0 &&
	       file_read(AT_FDCWD, other, 0, HOOK_BYTES_MAX, arena, &same, &size) > 0 &&
	       length == size && memcmp(text, same, size) == 0;
}

// What a checkout writes: a hook that the box could not change, or a link to one beside it.
static bool is_copy(const struct hooks *hooks, const char *path)
{
	char beside[NAME_MAX + 1];
	ssize_t length = readlink(path, beside, sizeof(beside));
	if (length > 0)
		return !memchr(beside, '/', (size_t)length) && length <= NAME_MAX;
	const struct plan *plan = hooks->check->plan;
	struct arena *arena = arena_new();
	bool copy = false;
	for (unsigned i = 0; i < plan->mount_count && !copy; i++) {
		const struct mount *wall = &plan->mounts[i];
		copy = wall->kind == MOUNT_BIND && wall->access == ACCESS_READ &&
		       str_ends(wall->target, hooks->suffix) &&
		       is_same(arena, path,
			       path_below(arena, wall->target,
					  path + strlen(hooks->directory) + 1));
	}
	arena_free(arena);
	return copy;
}

static void look_in(const struct hooks *hooks, int fd, const char *path, unsigned depth)
{
	char below[PATH_MAX];
	struct check *check = hooks->check;
	entries_each (entry, fd) {
		if (str_ends(entry->name, ".sample") || finding_is_own(check, fd, entry->name) ||
		    !str_put(below, sizeof(below), "%s/%s", path, entry->name))
			continue;
		autoclose int deeper = depth < DEPTH_MAX ? fd_directory(fd, entry->name) : -1;
		if (deeper >= 0)
			look_in(hooks, deeper, below, depth + 1);
		else if (!is_copy(hooks, below))
			vet_absent(check, fd, entry->name, below);
	}
}

// A directory with the work tree in it is no directory of hooks: its start says so.
static void look_at(struct check *check, const char *top, const char *path, const char *suffix)
{
	char inside[PATH_MAX];
	const struct hooks hooks = { check, path, suffix };
	if (path_within(top, path) || !tree_around(check->plan, path) ||
	    is_walled(check->plan, path) || !str_put(inside, sizeof(inside), "%s/.", path))
		return;
	autoclose int fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS);
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		vet_way(check, inside);
	look_in(&hooks, fd, path, 0);
}

static void look_at_file(struct check *check, const char *path)
{
	char above[PATH_MAX];
	if (!tree_around(check->plan, path) || is_walled(check->plan, path) ||
	    !str_put(above, sizeof(above), "%.*s", (int)(path_name(path) - path), path))
		return;
	autoclose int fd =
		sys_openat2(AT_FDCWD, above, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (fd >= 0 && finding_is_changed(check, fd, path_name(path)))
		vet_absent(check, fd, path_name(path), path);
}

// The configuration that a worktree shares lies where its git directory points to.
static void read_own(const struct check *check, struct arena *arena, int directory,
		     const char *name, const char *path, struct gitnamed *named)
{
	char text[GIT_POINTER_MAX], place[PATH_MAX];
	const char *leads = git_read_pointer(directory, name, GIT_FILE_PREFIX, text), *common;
	if (leads && path_of_link(path, leads, place, sizeof(place)))
		path = place;
	autoclose int fd =
		sys_openat2(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return;
	(void)ATTEMPT(gitnamed_file(arena, check->plan->home,
				    path_below(arena, path, "config.worktree"), NULL, named));
	common = git_read_pointer(fd, "commondir", "", text);
	if (common)
		path = path_join(arena, path, common);
	(void)ATTEMPT(gitnamed_file(arena, check->plan->home, path_below(arena, path, "config"),
				    NULL, named));
}

static const struct gitnamed *named_of_host(struct check *check)
{
	const struct plan *plan = check->plan;
	if (!check->named) {
		struct arena *arena = arena_new();
		check->named = arena_take(arena, sizeof(*check->named));
		*check->named = (struct gitnamed){ 0 };
		(void)ATTEMPT(gitnamed_global(arena, plan->home, path_parent(arena, plan->config),
					      check->named));
	}
	return check->named;
}

void hooks_look(struct check *check, int directory, const char *name, const char *path)
{
	FORGIVING;
	struct arena *arena = arena_new();
	const char *top = path_parent(arena, path);
	struct gitnamed named = { 0 };
	read_own(check, arena, directory, name, path, &named);
	const struct list *const lists[] = { &named_of_host(check)->everywhere, &named.everywhere };
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		list_each (value, lists[i])
			look_at(check, top, path_join(arena, top, value->text),
				path_join(arena, "/", value->text));
	list_each (hooks, &named.hooks)
		look_at(check, top, hooks->text, hooks->text);
	list_each (file, &named.files)
		look_at_file(check, file->text);
	arena_free(arena);
}
