// Owns the list of the box's copies of git's configuration.
#include "view/protect/protect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitconfig.h"
#include "view/paths/wishes.h"

enum { LOCK_TRIES = 20 };

// Takes a shared lock for the life of the box, in which sbx renames no file over a mounted one.
// Waits briefly, as a box could hold the lock.
static int share_lock(const char *directory)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < LOCK_TRIES && fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0; i++)
		nanosleep(&pause, NULL);
	return take(&fd);
}

static int add(struct wishes *wishes, struct mount *mount, const char *file, const char *top)
{
	struct plan *plan = wishes->plan;
	struct stat status;
	struct rows rows;
	const char *text;
	size_t length;
	int lock = share_lock(path_parent(wishes->arena, file));
	autoclose int fd = file_open(AT_FDCWD, file, 0, &status);
	if (fd < 0 ||
	    file_read_open(fd, &status, GITCONFIG_BYTES_MAX, wishes->arena, &text, &length) < 0)
		return fail(errno, "'%s' changed while the plan was made", file);
	bool remotes = str_equal(path_name(file), "config.worktree");
	TRY(gitnamed_read(APART_OTHERS, plan->scratch, text, length, remotes, &rows));
	TRY(gitnamed_add(plan->scratch, plan->home, mount->target, &rows, top, &wishes->named));
	if (remotes)
		gitnamed_known(plan->arena, &rows, &plan->git_names);
	struct identity identity = { status.st_dev, status.st_ino, S_IFREG };
	if (mount->identity.type == 0)
		mount->identity = identity;
	mount->copy = plan->copy_count;
	const char *tree = rows_text(&rows, ROW_WORKTREE);
	if (!top && tree)
		top = path_join(plan->arena, path_parent(plan->arena, mount->target), tree);
	plan->copies[plan->copy_count++] = (struct copy){
		file,
		top,
		identity,
		status.st_ctim,
		text,
		length,
		status.st_mode & 0777,
		lock,
		rows_text(&rows, ROW_PRIVATE) != NULL,
	};
	return wishes_add(wishes, mount, true);
}

// Shows an outer box's copy, to which a mounted link leads. The copy becomes read-only: git outside
// of this box reads it.
static int keep_outer(struct wishes *wishes, const struct mount *mount, const char *file)
{
	struct mount link = { .kind = MOUNT_BIND, .access = ACCESS_READ, .from = mount->from };
	struct mount copy = link;
	struct resolved resolved;
	link.source = link.target = mount->target;
	link.identity = mount->identity;
	copy.source = copy.target = path_parent(wishes->arena, file);
	TRY(resolve_path(wishes->resolver, copy.source, &resolved));
	copy.identity = resolved.identity;
	TRY(wishes_add_wall(wishes, &link));
	return wishes_add(wishes, &copy, false);
}

// Git reads config.worktree only with the extension worktreeConfig. Otherwise the check after the
// run reduces the file to harmless keys.
static enum act act_for(const struct plan *plan, const char *path)
{
	if (!str_equal(path_name(path), "config.worktree"))
		return ACT_QUARANTINE;
	for (unsigned i = 0; i < plan->copy_count; i++) {
		const struct copy *copy = &plan->copies[i];
		size_t length = (size_t)(path_name(copy->path) - copy->path);
		if (strncmp(path, copy->path, length) == 0 && copy->worktrees)
			return ACT_QUARANTINE;
	}
	return ACT_CONFIG;
}

int copies_add(struct wishes *wishes, const char *path, const char *top, struct origin from)
{
	const struct plan *plan = wishes->plan;
	struct mount mount = { .kind = MOUNT_COPY, .access = ACCESS_WRITE, .from = from };
	const char *file = path;
	struct stat status;
	mount.target = path;
	if (opened_has(wishes, path))
		return 0;
	autoclose int fd = file_open(AT_FDCWD, path, 0, &status);
	if (fd < 0 && file_missing())
		return protect_guard(wishes, path, act_for(plan, path));
	if (fd < 0 && errno == ELOOP && outer_copy(wishes->arena, path, &mount.identity, &file)) {
		if (plan->tier == TIER_LANDLOCK)
			return keep_outer(wishes, &mount, file);
		fd = file_open(AT_FDCWD, file, 0, &status);
	}
	if (fd < 0 && errno != EACCES && errno != ELOOP && errno != EINVAL)
		return protect_failed(wishes, path);
	// Protects a file without a copy: a link, one that is unreadable, large or of another type,
	// or one too many.
	if (fd < 0 || status.st_size > GITCONFIG_BYTES_MAX || plan->copy_count == COPIES_MAX)
		return protect_name(wishes, path, ACT_QUARANTINE, from);
	fd_close(&fd);
	if (plan->nested && plan->uid != 0 && plan->copy_count == 0)
		list_add(&wishes->plan->notes, wishes->arena,
			 "with the group 'namespaces' git's configuration is a separate file of "
			 "the box, which 'git config' cannot replace (Device or resource busy); in "
			 "a box inside it can",
			 (struct origin){ .file = "protect" });
	return add(wishes, &mount, file, top);
}
