// Owns the check of a repository that a search met, with hooks and files that its configuration
// names.
#include "postcheck/git/vet.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/git.h"
#include "postcheck/acts/check.h"
#include "view/paths/wishes.h"

enum { DEPTH_MAX = 4, HOOK_BYTES_MAX = 1 << 20 };

struct hooks {
	struct check *check;
	const char *directory, *name;
};

// Whether the file equals another work tree's hook that the box could not change: a checkout wrote
// it.
static bool is_copy(const struct hooks *hooks, const char *path)
{
	const struct plan *plan = hooks->check->plan;
	struct arena *arena = arena_new();
	const char *text, *same, *inside = path + strlen(hooks->directory) + 1;
	size_t length, size;
	bool copy = false;
	int found = file_read(AT_FDCWD, path, FILE_LINK, HOOK_BYTES_MAX, arena, &text, &length);
	for (unsigned i = 0; i < plan->mount_count && found > 0 && !copy; i++) {
		const struct mount *wall = &plan->mounts[i];
		copy = wall->kind == MOUNT_BIND && wall->access == ACCESS_READ &&
		       str_ends(wall->target, hooks->name) &&
		       file_read(AT_FDCWD, path_below(arena, wall->target, inside), FILE_LINK,
				 HOOK_BYTES_MAX, arena, &same, &size) > 0 &&
		       length == size && memcmp(text, same, size) == 0;
	}
	arena_free(arena);
	return copy;
}

static void look_in(const struct hooks *hooks, int fd, const char *path, unsigned depth)
{
	char below[PATH_MAX];
	struct check *check = hooks->check;
	entries_each (entry, fd) {
		if (finding_waits(check))
			return;
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

// Returns -1 when the box could not write there, or a link on the way was removed.
static int open_written(struct check *check, const char *path, const char *inside)
{
	if (judge_path(check->plan, inside).verdict != PATH_WRITE)
		return -1;
	vet_way(check, inside);
	return sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
}

// Skips hooks in a directory that contains the work tree: the start warns of it.
static void look_at(struct check *check, struct arena *arena, const char *top, const char *named)
{
	const char *path = path_join(arena, top, named);
	const struct hooks hooks = { check, path, path_join(arena, "/", named) };
	autoclose int fd = path_within(top, path)
				   ? -1
				   : open_written(check, path, arena_text(arena, "%s/.", path));
	look_in(&hooks, fd, path, 0);
}

void vet_repository(struct check *check, int directory, const char *name, const char *path)
{
	FORGIVING;
	const struct plan *plan = check->plan;
	char text[GIT_POINTER_MAX];
	struct arena *arena = arena_new();
	struct gitnamed named = { 0 };
	vet_git(check, directory, name, path);
	const char *top = str_equal(name, ".") ? path : path_parent(arena, path),
		   *leads = git_read_pointer(directory, name, GIT_FILE_PREFIX, text),
		   *git = leads ? path_join(arena, top, leads) : path;
	(void)ATTEMPT(gitnamed_repository(arena, plan->home, path, NULL, &named));
	(void)ATTEMPT(gitnamed_global(arena, plan->home, path_parent(arena, plan->config), &named));
	// A push into the repository runs hooks below its git directory (githooks(5)).
	list_each (value, &named.everywhere) {
		look_at(check, arena, top, value->text);
		look_at(check, arena, git, value->text);
	}
	list_each (hooks, &named.hooks)
		look_at(check, arena, top, hooks->text);
	list_each (file, &named.files) {
		autoclose int fd = open_written(check, path_parent(arena, file->text), file->text);
		if (fd >= 0 && finding_is_changed(check, fd, path_name(file->text)))
			vet_absent(check, fd, path_name(file->text), file->text);
	}
	arena_free(arena);
}
