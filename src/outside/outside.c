// Owns the test whether a box may write a path outside.
#include "outside/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "plan.h"

static bool box_writes(const struct mount *mount)
{
	return mount->kind == MOUNT_BIND && mount->access == ACCESS_WRITE && !mount->cache;
}

bool outside_writes(const struct plan *plan, const char *path)
{
	const struct mount *above = NULL;
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (path_within(path, plan->mounts[i].target))
			above = &plan->mounts[i];
	return above && box_writes(above);
}

// Finds bind mounts, too.
const struct mount *outside_written(const struct plan *plan, const struct stat *status)
{
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (box_writes(&plan->mounts[i]) &&
		    status->st_dev == plan->mounts[i].identity.device &&
		    status->st_ino == plan->mounts[i].identity.inode)
			return &plan->mounts[i];
	return NULL;
}

bool outside_steers(const struct plan *plan)
{
	const char *home = plan->real_home;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const char *source = plan->mounts[i].source;
		if (box_writes(&plan->mounts[i]) &&
		    (path_within(home, source) ||
		     (path_within(source, home) && str_starts(source + strlen(home), "/."))))
			return true;
	}
	return false;
}

static enum outside look_up(const struct plan *plan, int directory, const char **ret_place)
{
	enum { DEEP_MAX = 1024 };
	struct stat status, before = { 0 };
	autoclose int at = openat(directory, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int depth = 0; depth < DEEP_MAX; depth++) {
		if (at < 0 || fstat(at, &status) < 0)
			return OUTSIDE_UNKNOWN;
		const struct mount *mount = outside_written(plan, &status);
		if (mount) {
			*ret_place = mount->source;
			return OUTSIDE_BOX;
		}
		if (depth > 0 && status.st_dev == before.st_dev && status.st_ino == before.st_ino)
			return OUTSIDE_NOT; // the root
		before = status;
		int above = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		fd_close(&at);
		at = above;
	}
	errno = ENAMETOOLONG;
	return OUTSIDE_UNKNOWN;
}

// Returns the directory above `real` that sbx owns, or that this box or its session writes.
static const char *shared_place(const struct plan *plan, const char *real)
{
	const char *const own[] = { plan->state, plan->config, plan->temporary };
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (own[i] && path_within(real, own[i]))
			return own[i];
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (box_writes(&plan->mounts[i]) && path_within(real, plan->mounts[i].source))
			return plan->mounts[i].source;
	for (unsigned i = 0; plan->session && i < plan->session->root_count; i++)
		if (path_within(real, plan->session->roots[i].path))
			return plan->session->roots[i].path;
	return NULL;
}

int outside_path(int fd, char path[PATH_MAX])
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, PATH_MAX - 1);
	if (length <= 0)
		return -1;
	path[length] = '\0';
	return 0;
}

enum outside outside_look(const struct plan *plan, int directory, const char **ret_place)
{
	char real[PATH_MAX];
	if (outside_path(directory, real) < 0)
		return OUTSIDE_UNKNOWN;
	*ret_place = shared_place(plan, real);
	return *ret_place ? OUTSIDE_BOXES : look_up(plan, directory, ret_place);
}
