// Owns the directories of an apply's stage, and the identities of staged files.
#include "session/apply/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "session/compare/changes.h"
#include "session/store/store.h"

#define STAGE_NAME ".sbx-apply-"
// Calls syncfs(2), which is a thousand times as fast as fsync(2) for each file.
int stage_sync(const struct applying *applying)
{
	for (unsigned i = 0; i < ROOTS_MAX; i++)
		if (applying->stages[i] >= 0 && syncfs(applying->stages[i]) < 0)
			return fail(errno, "write the stage to the disk");
	return 0;
}

static bool same_mount(const char *left, const char *right)
{
	struct sys_statx a, b;
	struct stat one, other;
	return sys_statx(AT_FDCWD, left, SYS_STATX_MOUNT_ID, &a) == 0 &&
	       sys_statx(AT_FDCWD, right, SYS_STATX_MOUNT_ID, &b) == 0 &&
	       a.mount_id == b.mount_id && stat(left, &one) == 0 && stat(right, &other) == 0 &&
	       one.st_dev == other.st_dev;
}

static int open_host(struct applying *applying, unsigned root)
{
	struct stat status;
	struct journal_root *noted = &applying->journal.roots[root];
	int fd = sides_host_root(&applying->held->session, root);
	TRY(applying->hosts[root] = fd);
	if (fstat(fd, &status) < 0)
		return fail(errno, "'%s'", applying->held->session.roots[root].path);
	noted->born = seen_birth(fd);
	noted->inode = status.st_ino;
	return 0;
}

// Whether the stage can be made in the parent of `path`, which the project's boxes cannot reach.
static bool takes_stage(struct store *store, const char *path)
{
	struct stat status;
	const char *above = path_parent(store->arena, path);
	return above[1] && stat(above, &status) == 0 && status.st_uid == geteuid() &&
	       !(status.st_mode & 022) && (status.st_mode & 0300) == 0300 &&
	       same_mount(above, path);
}

static const char *place_for(struct applying *applying, unsigned root)
{
	struct store *store = applying->held->store;
	const char *path = applying->held->session.roots[root].path, *name = applying->held->name;
	if (same_mount(store->sessions_path, path))
		return arena_text(store->arena, "%s/%s/stage-%u", store->sessions_path, name, root);
	return arena_text(store->arena, "%s/" STAGE_NAME "%s-%u",
			  takes_stage(store, path) ? path_parent(store->arena, path) : path, name,
			  root);
}

int stage_places(struct applying *applying)
{
	const struct session *session = &applying->held->session;
	for (unsigned i = 0; i < applying->changes.count; i++) {
		unsigned root = applying->changes.list[i].root;
		const char *path = session->roots[root].path;
		struct journal_root *noted = &applying->journal.roots[root];
		if (!applying->changes.list[i].selected || noted->stage)
			continue;
		TRY(open_host(applying, root));
		if (noted->inode != applying->changes.roots[root])
			return fail(0, "'%s' was changed on the host meanwhile", str_shown(path));
		noted->stage = place_for(applying, root);
	}
	return 0;
}

bool stage_is_own(const struct applying *applying, unsigned root)
{
	return !str_starts(path_name(applying->journal.roots[root].stage), STAGE_NAME);
}

static int above_stage(struct applying *applying, unsigned root)
{
	const char *path = applying->journal.roots[root].stage;
	int host = applying->hosts[root], *above = &applying->above[root];
	if (stage_is_own(applying, root))
		return applying->held->directory;
	if (path_within(path, applying->held->session.roots[root].path))
		return host;
	if (*above < 0)
		*above = openat(host, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *above;
}

static int open_stage(struct applying *applying, unsigned root)
{
	struct stat status;
	const char *path = applying->journal.roots[root].stage;
	autoclose int fd = fd_directory(above_stage(applying, root), path_name(path));
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(errno, "'%s'", path);
	if (status.st_uid != geteuid() || (status.st_mode & 077))
		return fail(0, "'%s' is not ours", path);
	applying->stages[root] = take(&fd);
	return 0;
}

int stage_make(struct applying *applying)
{
	struct stat status;
	for (unsigned i = 0; i < ROOTS_MAX; i++) {
		struct journal_root *noted = &applying->journal.roots[i];
		if (!noted->stage)
			continue;
		if (mkdirat(above_stage(applying, i), path_name(noted->stage), 0700) < 0)
			return fail(errno, "make '%s'", noted->stage);
		TRY(open_stage(applying, i));
		if (fstat(applying->stages[i], &status) < 0)
			return fail(errno, "'%s'", noted->stage);
		TRY(rights_drop_given(applying->stages[i]));
		noted->stage_inode = status.st_ino;
	}
	return 0;
}

static int reopen_stage(struct applying *applying, unsigned root)
{
	struct stat status;
	const struct journal_root *noted = &applying->journal.roots[root];
	bool needed =
		applying->journal.phase == PHASE_COMMIT || applying->journal.phase == PHASE_BACK;
	if (!needed) {
		(void)ATTEMPT(open_stage(applying, root));
		return 0;
	}
	TRY(open_stage(applying, root));
	return fstat(applying->stages[root], &status) == 0 && status.st_ino == noted->stage_inode
		       ? 0
		       : fail(0, "'%s' is another directory by now", noted->stage);
}

int stage_reopen(struct applying *applying)
{
	for (unsigned i = 0; i < ROOTS_MAX; i++) {
		struct journal_root noted = applying->journal.roots[i];
		if (!noted.stage)
			continue;
		TRY(open_host(applying, i));
		struct journal_root *now = &applying->journal.roots[i];
		bool same = noted.inode == now->inode && same_time(&noted.born, &now->born);
		*now = noted;
		if (!same)
			return fail(0, "'%s' is not the directory that it began in",
				    str_shown(applying->held->session.roots[i].path));
		TRY(reopen_stage(applying, i));
	}
	return 0;
}

int stage_remove(struct applying *applying)
{
	for (unsigned i = 0; i < ROOTS_MAX; i++) {
		const char *path = applying->journal.roots[i].stage;
		fd_close(&applying->stages[i]);
		if (path)
			TRY(owned_remove_tree(above_stage(applying, i), path_name(path)));
	}
	return 0;
}

static void order_modes(struct applying *applying)
{
	struct journal *journal = &applying->journal;
	struct operation *ordered =
		arena_take(applying->arena, (journal->operation_count + 1) * sizeof(*ordered));
	unsigned count = 0;
	for (int turn = 0; turn < 3; turn++)
		for (unsigned i = 0; i < journal->operation_count; i++) {
			const struct operation *operation = &journal->operations[i];
			int wanted = operation->kind != OPERATION_MODE ? 1
				     : operation->mode & S_IWUSR       ? 0
								       : 2;
			if (wanted == turn)
				ordered[count++] = *operation;
		}
	journal->operations = ordered;
}

// Notes the copies' identities last: a hard link changes the ctime of an earlier copy.
static int identify(struct applying *applying)
{
	struct journal *journal = &applying->journal;
	struct stat status;
	char name[16];
	for (unsigned i = 0; i < journal->operation_count; i++) {
		struct operation *operation = &journal->operations[i];
		bool puts =
			operation->kind == OPERATION_ADD || operation->kind == OPERATION_REPLACE;
		bool finishes = operation->kind == OPERATION_MODE && !operation->was.inode;
		snprintf(name, sizeof(name), "%u", operation->number);
		if (operation->place) {
			if (fstatat(applying->stages[operation->root], operation->place, &status,
				    AT_SYMLINK_NOFOLLOW) < 0)
				return fail(errno, "read the stage");
			operation->staged = thing_of(&status);
		}
		if ((puts || finishes) &&
		    thing_look(applying->stages[operation->root], name,
			       finishes ? &operation->was : &operation->staged) < 0)
			return fail(errno, "read the stage");
		if (finishes) {
			operation->old_mode = operation->was.mode & 07777;
			operation->mode = operation->old_mode & ~(mode_t)S_IWUSR;
		}
	}
	return 0;
}

int stage_end(struct applying *applying)
{
	order_modes(applying);
	return identify(applying);
}
