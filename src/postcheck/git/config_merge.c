// Owns the writing of git's configuration on the host. A nameless file is filled, linked as git's
// lock, and renamed: a kill leaves nothing half written.
#include "postcheck/git/vet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitconfig.h"
#include "postcheck/acts/check.h"
#include "report/findings.h"

enum {
	TRIES = 20,
	PAUSE_MILLISECONDS = 50,
	VALUE_SHOWN = 200,
	PACKED_BYTES_MAX = 8 << 20,
	SEARCHED_BYTES_MAX = 256 << 20
};
#define MERGE_BYTES ((size_t)128 << 20)

struct merge_work {
	struct arena *arena;
	const struct merge *merge;
	const char *now;
	size_t now_length;
	struct gitconfig_case how;
	struct gitconfig_merged merged;
	bool written;
};

// Whether the branch exists. *ret_made: the run made its ref and log, which git only extends.
static bool has_branch(const struct merge *merge, const char *packed, const char *branch,
		       bool *ret_made)
{
	static const char *const places[] = { "refs/heads", "logs/refs/heads" };
	char path[PATH_MAX];
	bool there = !packed;
	if (str_put(path, sizeof(path), " refs/heads/%s\n", branch))
		there = there || strstr(packed, path);
	*ret_made = !packed || !there;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (str_put(path, sizeof(path), "%s/%s", places[i], branch) &&
		    faccessat(merge->directory, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
		    errno == ENOENT)
			continue;
		there = there || i == 0;
		*ret_made = *ret_made && finding_is_made(merge->check, merge->directory, path);
	}
	return there;
}

// Merges; parses the box's text last. Refs show new and removed branches.
static int compute(struct merge_work *work)
{
	const struct merge *merge = work->merge;
	struct gitconfig_merged *merged = &work->merged;
	struct gitconfig before, after, now;
	const struct gitconfig *from = &now, *into = &before;
	const char *packed = "";
	size_t length;
	work->how.old = work->how.gone = (struct list){ 0 };
	TRY(gitconfig_ask(work->arena, merge->before, merge->before_length, &before));
	TRY(gitconfig_ask(work->arena, work->now, work->now_length, &now));
	if (merge->kind == MERGE_CHANGES) {
		TRY(gitconfig_ask(work->arena, merge->after, merge->after_length, &after));
		from = &after;
		into = &now;
	}
	if ((merge->kind == MERGE_FILTER || merge->check->living) && merge->before_length == 0 &&
	    now.count + now.section_count > GITCONFIG_ROWS_NEW)
		return fail(0, "more than %d keys in a new repository", GITCONFIG_ROWS_NEW);
	gitconfig_merge(work->arena, &before, from, into, work->how, merged);
	if (merged->branch_count == 0)
		return 0;
	if (file_read(merge->directory, "packed-refs", 0, PACKED_BYTES_MAX, work->arena, &packed,
		      &length) < 0)
		packed = NULL;
	if (packed && length * merged->branch_count > SEARCHED_BYTES_MAX)
		packed = NULL;
	for (unsigned i = 0; i < merged->branch_count; i++) {
		const char *branch = merged->branches[i];
		bool made, there = has_branch(merge, packed, branch, &made);
		if (!there)
			list_add(&work->how.gone, work->arena, branch, (struct origin){ 0 });
		if (merge->check->start.tv_sec == 0 || !made || (!there && !merge->made))
			list_add(&work->how.old, work->arena, branch, (struct origin){ 0 });
	}
	gitconfig_merge(work->arena, &before, from, into, work->how, merged);
	return 0;
}

// Reads the host's file. If it is gone, MERGE_HOST takes the text of the start.
static int read_now(struct merge_work *work)
{
	const struct merge *merge = work->merge;
	int read = file_read(merge->directory, merge->name, 0, GITCONFIG_BYTES_MAX, work->arena,
			     &work->now, &work->now_length);
	if (read < 0)
		return file_failed("config", GITCONFIG_BYTES_MAX);
	if (read == 0 && merge->kind == MERGE_HOST) {
		work->now = merge->before;
		work->now_length = merge->before_length;
	}
	return 0;
}

static void pause_for_others(void)
{
	struct timespec pause = { .tv_nsec = PAUSE_MILLISECONDS * 1000000L };
	nanosleep(&pause, NULL);
}

int merge_take_lock(int directory, const char *lock, mode_t mode, const void *text, size_t length)
{
	char path[32];
	mode |= 0600;
	autoclose int fd = openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	bool nameless = fd >= 0;
	if (!nameless) // without O_TMPFILE the lock is visible while it is filled
		fd = openat(directory, lock, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return errno == EEXIST ? 1 : fail(errno, "make %s", lock);
	if (fchmod(fd, mode) < 0 || fd_write_all(fd, text, length) < 0 || fdatasync(fd) < 0)
		return fail(errno, "write");
	if (!nameless)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, path, directory, lock, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	return errno == EEXIST ? 1 : fail(errno, "make %s", lock);
}

static int write_in_place(const struct merge_work *work)
{
	autoclose int fd = openat(work->merge->directory, work->merge->name,
				  O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fd_write_all(fd, work->merged.text, work->merged.length) < 0 ||
	    ftruncate(fd, (off_t)work->merged.length) < 0)
		return fail(errno, "write");
	return 0;
}

// Returns 0: written or nothing to do; 1: another program writes; -1.
static int try_once(struct merge_work *work)
{
	char lock[64];
	const char *text;
	size_t length;
	str_put(lock, sizeof(lock), "%s.lock", work->merge->name);
	TRY(read_now(work));
	TRY(compute(work));
	bool changes = work->merge->kind == MERGE_CHANGES;
	if (!work->merge->fresh &&
	    (changes ? work->merged.taken : work->merged.withheld_count) == 0)
		return 0;
	work->written = true;
	int locked = merge_take_lock(work->merge->directory, lock, work->merge->mode,
				     work->merged.text, work->merged.length);
	if (locked != 0)
		return locked;
	// Is the host's text still the merged one?
	text = work->now;
	length = work->now_length;
	if (read_now(work) < 0 || length != work->now_length ||
	    memcmp(text, work->now, length) != 0) {
		unlinkat(work->merge->directory, lock, 0);
		return 1;
	}
	// A rename over the file would remove other boxes' mounts on it.
	bool shared = work->merge->lock >= 0 && flock(work->merge->lock, LOCK_EX | LOCK_NB) < 0;
	if (!shared &&
	    renameat(work->merge->directory, lock, work->merge->directory, work->merge->name) == 0)
		return 0;
	int problem = shared ? EBUSY : errno; // EBUSY in a box: the outer box's copy is mounted
					      // there
	int result = problem == EBUSY ? write_in_place(work) : fail(problem, "rename %s", lock);
	unlinkat(work->merge->directory, lock, 0);
	return result;
}

// Returns the command that sets the key, or "" if it cannot be printed.
static const char *command_for(struct arena *arena, const struct merge *merge,
			       const struct gitconfig_withheld *row)
{
	const char *file =
		str_equal(merge->path, ".git/config") ? "" : quote_fix(arena, merge->path);
	const char *name = quote_fix(arena, row->name);
	const char *value = row->value ? quote_fix(arena, row->value) : "";
	if (!file || !name || !value || strlen(value) > VALUE_SHOWN)
		return "";
	return arena_text(arena, "git config %s%s%s%s%s%s%s", file[0] ? "-f " : "", file,
			  file[0] ? " " : "", row->option, name, row->value ? " " : "", value);
}

static void report(struct arena *arena, const struct merge *merge,
		   const struct gitconfig_merged *merged)
{
	struct findings *found = merge->check->found;
	static const struct {
		enum finding_kind kind;
		const char *words;
	} rows[] = {
		[MERGE_CHANGES] = { FINDING_CONFIG_WITHHELD, "not applied" },
		[MERGE_FILTER] = { FINDING_CONFIG_REMOVED, "removed" },
		[MERGE_HOST] = { FINDING_CONFIG_REMOVED, "removed" },
	};
	for (unsigned i = 0; i < merged->withheld_count; i++) {
		const struct gitconfig_withheld *row = &merged->withheld[i];
		findings_add(found, rows[merge->kind].kind, merge->path,
			     arena_text(arena, "%s: %s: %s", row->name, rows[merge->kind].words,
					row->why),
			     command_for(arena, merge, row));
	}
	for (unsigned i = 0; i < merged->address_count && merge->kind != MERGE_HOST; i++)
		findings_add(found, FINDING_CONFIG_ADDRESS, merge->path, merged->addresses[i], "");
}

static void take_left_lock(const struct merge *merge)
{
	char path[PATH_MAX];
	if (!merge->check->living && merge->check->start.tv_sec != 0 &&
	    str_put(path, sizeof(path), "%s.lock", merge->path) &&
	    finding_is_made(merge->check, merge->directory, path_name(path)))
		leftover_take_lock(merge->check, merge->directory, path_name(path), path);
}

int merge_config(const struct merge *merge)
{
	struct arena *arena = arena_new_of(MERGE_BYTES);
	struct merge_work work = {
		.arena = arena,
		.merge = merge,
		.how = { .elsewhere = merge->check->plan->git_names,
			 .depth = merge->depth,
			 .made = merge->made,
			 .host = merge->kind == MERGE_HOST,
			 .private = str_equal(merge->name, "config.worktree") },
	};
	struct living *living = merge->check->living;
	int result = 1;
	FORGIVING;
	take_left_lock(merge);
	for (int i = 0; i < (living ? 1 : TRIES) && result == 1; i++) {
		if (i > 0)
			pause_for_others();
		arena_clear(arena);
		result = try_once(&work);
	}
	if (result > 0 && living) { // another turn tries again; endless turns end the run
		living->waits = living->takes(living, merge->check, merge->path);
		result = 0;
	} else if (result == 0)
		report(arena, merge, &work.merged);
	else
		findings_add(merge->check->found, FINDING_CONFIG_FAILED, merge->path,
			     result < 0
				     ? err_taken()
				     : arena_text(arena,
						  "git's lock (%s.lock) is held by another program",
						  merge->name),
			     "");
	arena_free(arena);
	return result == 0 ? work.written : -1;
}
