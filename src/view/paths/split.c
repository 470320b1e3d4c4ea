// Owns the splitting of mounts around hidden paths (tier landlock).
#include "view/paths/wishes.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/base.h"
#include "plan.h"

struct splitter {
	struct plan *plan;
	struct mount *mounts;
	unsigned count;
};

static bool hides(const struct mount *mount)
{
	return mount->on_host && (mount->kind == MOUNT_MASK || mount->kind == MOUNT_TMPFS);
}

static bool holds_hidden(const struct plan *plan, const char *path)
{
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (hides(&plan->mounts[i]) && path_within(plan->mounts[i].target, path))
			return true;
	return false;
}

static bool is_hidden(const struct plan *plan, const char *path)
{
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (hides(&plan->mounts[i]) && path_within(path, plan->mounts[i].target))
			return true;
	return false;
}

static int take_mount(struct splitter *splitter, const struct mount *mount);

static int split(struct splitter *splitter, const struct mount *mount)
{
	struct plan *plan = splitter->plan;
	int result = 0;
	if (mount->access == ACCESS_WRITE)
		return fail(0, "tier landlock cannot hide anything in '%s', which is writable",
			    mount->target);
	DIR *stream = opendir(mount->source);
	if (!stream)
		return fail(errno, "'%s'", mount->source);
	for (struct dirent *entry = readdir(stream); entry && result == 0;
	     entry = readdir(stream)) {
		struct stat status;
		struct mount part = *mount;
		if (str_equal(entry->d_name, ".") || str_equal(entry->d_name, ".."))
			continue;
		part.source = part.target = path_below(plan->arena, mount->source, entry->d_name);
		if (is_hidden(plan, part.source) || lstat(part.source, &status) < 0 ||
		    S_ISLNK(status.st_mode))
			continue;
		part.identity =
			(struct identity){ status.st_dev, status.st_ino, status.st_mode & S_IFMT };
		result = take_mount(splitter, &part);
	}
	closedir(stream);
	return result;
}

static int take_mount(struct splitter *splitter, const struct mount *mount)
{
	bool bound = mount->kind == MOUNT_BIND && !mount->cache;
	if (bound && mount->identity.type == S_IFDIR && holds_hidden(splitter->plan, mount->target))
		return split(splitter, mount);
	if (splitter->count == MOUNTS_MAX)
		return fail(0, "too many entries next to hidden ones");
	splitter->mounts[splitter->count++] = *mount;
	return 0;
}

int split_plan(struct plan *plan)
{
	struct splitter splitter = { .plan = plan };
	splitter.mounts = arena_take(plan->arena, MOUNTS_MAX * sizeof(*splitter.mounts));
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind != MOUNT_MASK)
			TRY(take_mount(&splitter, &plan->mounts[i]));
	plan->mounts = splitter.mounts;
	plan->mount_count = splitter.count;
	return 0;
}
