// Owns the check of a changed index, and its rewriting under git's lock.
#include "postcheck/git/vet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitindex.h"
#include "git/git.h"
#include "plan.h"
#include "postcheck/acts/check.h"
#include "report/findings.h"

enum { NAMES_MAX = 64, TRIES = 20, PAUSE_MILLISECONDS = 50 };

struct index_work {
	struct arena *arena;
	struct check *check;
	int directory;
	const char *path;
	struct stat status;
	struct index_file file;
	const char *names[NAMES_MAX];
};

static bool is_same(const struct index_work *work)
{
	struct stat now;
	const struct file_state was = file_state(&work->status);
	if (fstatat(work->directory, "index", &now, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	const struct file_state is = file_state(&now);
	return file_state_equal(&is, &was);
}

// Returns 0: written; 1: another program writes; -1.
static int rewrite(const struct index_work *work)
{
	static const char lock[] = "index.lock";
	int locked = merge_take_lock(work->directory, lock, work->status.st_mode & 0777,
				     work->file.vetted.text, work->file.vetted.length);
	if (locked != 0)
		return locked;
	bool same = is_same(work);
	if (same && renameat(work->directory, lock, work->directory, "index") == 0)
		return 0;
	int problem = errno;
	unlinkat(work->directory, lock, 0);
	return same ? fail(problem, "rename") : 1;
}

// Replaces a bad index by its good entries, or by an index that git refuses: without one, git's
// next commit would remove each file.
static int take_index(const struct index_work *work, const char *why)
{
	static const char lock[] = "index.lock", none[] = "no index: rm .git/index; git reset\n";
	const struct gitindex_vetted *vetted = &work->file.vetted;
	bool good = vetted->bad && vetted->text;
	int locked = merge_take_lock(work->directory, lock, 0644,
				     good ? vetted->text : (const void *)none,
				     good ? vetted->length : strlen(none));
	if (locked > 0)
		return locked;
	if (work->check->living && !is_same(work)) {
		unlinkat(work->directory, lock, 0);
		return 1;
	}
	finding_take(work->check, work->directory, "index",
		     arena_text(work->arena, "%s/index", work->path),
		     arena_text(work->arena, "%s; %s", why,
				good ? "one with its other entries took its place"
				     : "for a new one: rm .git/index; git reset"));
	if (locked == 0 && fd_rename_new(work->directory, lock, work->directory, "index") < 0)
		locked = fail(errno, "rename");
	if (locked < 0)
		unlinkat(work->directory, lock, 0);
	return locked;
}

// Sets the index's time before the run's files: git rereads files that are not older than its
// index.
static void set_time(const struct index_work *work)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
				     { .tv_sec = work->file.rest.touched ? 1 : work->file.since } };
	(void)!utimensat(work->directory, "index", times, AT_SYMLINK_NOFOLLOW);
}

static unsigned masked_names(const struct plan *plan, const char *names[NAMES_MAX])
{
	unsigned count = 0;
	for (unsigned i = 0; i < plan->mount_count && count < NAMES_MAX; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (mount->kind != MOUNT_BIND || !mount->on_host || mount->access != ACCESS_READ ||
		    !path_within(mount->target, plan->project) ||
		    str_equal(mount->target, plan->project))
			continue;
		const char *name = mount->target + strlen(plan->project) + 1;
		if (!path_within(name, ".git"))
			names[count++] = name;
	}
	return count;
}

static const char *name_of(const struct index_work *work, const char *path)
{
	for (unsigned i = 0; i < work->file.name_count; i++)
		if (path_within(path, work->names[i]))
			return work->names[i];
	return path;
}

// `kind`: FINDING_TRACKED for names that git did not write, or FINDING_TRACKED_ALL.
static void tell_tracked(const struct index_work *work, enum finding_kind kind)
{
	const char *before = "";
	rows_each (row, &work->file.rows) {
		const char *name = row->kind == ROW_TRACKED ? name_of(work, row->text) : before;
		if (str_equal(name, before) || (kind == FINDING_TRACKED && row->number == 0))
			continue;
		before = name;
		findings_add(work->check->found, kind, name, "", str_visible(name) ? name : "PATH");
	}
}

// Reports marks that hide changes, but none of a sparse checkout.
static void tell_marks(const struct index_work *work)
{
	const struct index_file *file = &work->file;
	unsigned count = file->vetted.unchanged + file->rest.unchanged;
	if (!file->sparse)
		count += file->vetted.skipped + file->rest.skipped;
	if (count > 0)
		findings_add(work->check->found, FINDING_GIT_HIDES,
			     finding_path(work->check->plan, work->path),
			     arena_text(work->arena, "%u", count), "");
}

static void read_names(struct index_work *work)
{
	const struct plan *plan = work->check->plan;
	size_t length = strlen(work->path);
	if (plan->project && plan->index && path_within(plan->index, work->path) &&
	    str_equal(plan->index + length, "/index"))
		work->file.name_count = masked_names(plan, work->names);
}

// Whether reading would delay the supervisor of a live box.
static bool is_too_large(const struct check *check, const struct stat *status)
{
	enum { LIVING_BYTES = 16 << 20 };
	const uint64_t size = (uint64_t)status->st_size;
	return check->living && size > LIVING_BYTES && size / 2 > check->plan->indexed.size;
}

// *ret_why is NULL if git could have written the index.
static struct index_work *read_index(struct arena *arena, struct check *check, int fd,
				     const struct stat *status, int directory, const char *path,
				     const char **ret_why)
{
	struct index_work *work = arena_take(arena, sizeof(*work));
	time_t start = check->start.tv_sec;
	*work = (struct index_work){ .arena = arena,
				     .check = check,
				     .directory = directory,
				     .path = path,
				     .status = *status };
	work->file = (struct index_file){ .places = &work->directory,
					  .place_count = 1,
					  .names = work->names,
					  .since = start > 0 ? (uint32_t)start : 1 };
	read_names(work);
	*ret_why = is_too_large(check, status) ? "is too large for a check while its box lives"
					       : index_file_judge(arena, fd, status, &work->file);
	return work;
}

// Returns 0: done; 1: another program writes; -1.
static int look_once(struct arena *arena, struct check *check, int fd, const struct stat *status,
		     int directory, const char *path)
{
	const char *why;
	struct index_work *work = read_index(arena, check, fd, status, directory, path, &why);
	if (why && finding_is_fresh(check, status)) // perhaps half written: index_look() retries
		return 1;
	if (why)
		return take_index(work, why);
	finding_vetted(check, status);
	if (check->living)
		return 0;
	int result = work->file.vetted.text ? rewrite(work) : 0;
	if (result == 0) {
		set_time(work);
		tell_tracked(work, FINDING_TRACKED);
		tell_marks(work);
	}
	return result;
}

void index_look(struct check *check, int directory, const char *path, bool shared)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MILLISECONDS * 1000000L };
	char index[PATH_MAX];
	struct stat status;
	int result = 1;
	if (finding_waits(check) || (!shared && !finding_is_changed(check, directory, "index")) ||
	    !str_put(index, sizeof(index), "%s/index", path) ||
	    finding_is_own(check, directory, "index"))
		return;
	for (int i = 0; i < (check->living ? 1 : TRIES) && result == 1; i++) {
		if (i > 0)
			nanosleep(&pause, NULL);
		autoclose int fd = file_open(directory, "index", 0, &status);
		if (fd < 0) {
			result = file_missing() ? 0 : fail(errno, "open");
			break;
		}
		if (finding_is_vetted(check, &status))
			return;
		size_t length = status.st_size < INDEX_FILE_MAX ? (size_t)status.st_size : 0;
		struct arena *arena = arena_new_of(INDEX_FILE_ARENA(length));
		result = look_once(arena, check, fd, &status, directory, path);
		arena_free(arena);
	}
	if (check->living)
		check->living->waits |=
			result == 1 && check->living->takes(check->living, check, index);
	else if (result != 0)
		findings_add(check->found, FINDING_GIT_INDEX, finding_path(check->plan, index),
			     result == 1 ? "another program holds git's lock" : err_taken(), "");
}

void index_tell_tracked(struct check *check)
{
	FORGIVING;
	const char *index = check->plan->index, *why;
	char path[PATH_MAX];
	struct stat status;
	if (!index ||
	    !str_put(path, sizeof(path), "%.*s", (int)(path_name(index) - index) - 1, index))
		return;
	autoclose int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0 || !finding_is_changed(check, directory, "") ||
	    faccessat(directory, "MERGE_HEAD", F_OK, 0) == 0)
		return;
	autoclose int fd = file_open(directory, "index", 0, &status);
	if (fd < 0 || status.st_size > INDEX_FILE_MAX)
		return;
	struct arena *arena = arena_new_of(INDEX_FILE_ARENA(status.st_size));
	struct index_work *work = read_index(arena, check, fd, &status, directory, path, &why);
	if (!why)
		tell_tracked(work, FINDING_TRACKED_ALL);
	arena_free(arena);
}
