// Owns the files of a tree's runs: the time of the start and the tree's inode, the names that
// stood, and a line "." at the end, without which the command has not begun.
#include "postcheck/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"
#include "run.h"
#include "trees/git_list.h"

// The lines of a box of 4,096 names take some 200 KB.
enum { SECOND = 1000000000, BYTES_MAX = 64 << 20 };
static const char end[] = ".\n";

// Of what existed: what the box has read-only, with all below it, and what else is mounted.
static void put_names(struct out *out, const struct plan *plan, const char *tree)
{
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (mount->on_host && path_within(mount->target, tree) &&
		    !strchr(mount->target, '\n'))
			out_text(out, "%c %s\n",
				 mount->access == ACCESS_WRITE && mount->kind == MOUNT_BIND ? 'w'
											    : 'r',
				 mount->target);
	}
	for (unsigned i = 0; i < plan->guard_count; i++) {
		const struct guard *guard = &plan->guards[i];
		size_t length =
			strlen(guard->path) - (guard->kind == GUARD_PARTS ? strlen("/.") : 0);
		list_each (item, &guard->known)
			if (path_within(guard->path, tree) && !strchr(item->text, '\n'))
				out_text(out, "w %.*s/%s\n", (int)length, guard->path, item->text);
	}
}

static int open_runs(const char *runs)
{
	int fd = living_open(runs);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	autoclose int made = owned_directory(runs);
	return made < 0 ? -1 : living_open(runs);
}

static uint64_t inode_of(const char *tree)
{
	struct stat status;
	return stat(tree, &status) == 0 ? status.st_ino : 0;
}

static int begin_tree(const struct plan *plan, const struct run *run, const struct searched *tree)
{
	struct out out = { 0 };
	int64_t start = plan->start.tv_sec * (int64_t)SECOND + plan->start.tv_nsec;
	autoclose int directory = open_runs(tree->runs);
	if (directory < 0)
		return -1;
	autoclose int fd = openat(directory, run->journal_name,
				  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	out_text(&out, "%lld %llu\n", (long long)start, (unsigned long long)inode_of(tree->path));
	put_names(&out, plan, tree->path);
	out_text(&out, "%s", end);
	bool done =
		fd_lock(fd, LOCK_EX | LOCK_NB) == 0 && fd_write_all(fd, out.text, out.used) == 0;
	int problem = errno;
	out_free(&out);
	if (!done)
		unlinkat(directory, run->journal_name, 0);
	errno = problem;
	return done ? take(&fd) : -1;
}

void journal_begin(const struct plan *plan, struct run *run)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	// Of one machine no two have the same nanosecond and pid.
	snprintf(run->journal_name, sizeof(run->journal_name), "%lld.%09ld-%d",
		 (long long)now.tv_sec, now.tv_nsec, (int)getpid());
	for (unsigned i = 0; i < plan->searched_count && i < JOURNALS_MAX; i++) {
		int fd = ATTEMPT(begin_tree(plan, run, &plan->searched[i]));
		if (fd < 0)
			run->journal_problem = errno;
		run->journals[run->journal_count++] = fd;
	}
}

// One that lives has its file there, and one that came and went has changed the directory.
static bool is_beside(const struct searched *tree, const struct run *run, int own)
{
	struct stat before, now;
	bool lives = false;
	autoclose int directory = living_open(tree->runs);
	if (directory < 0 || fstat(directory, &now) < 0 || fstat(own, &before) < 0)
		return false;
	entries_each (entry, directory) {
		autoclose int fd = str_equal(entry->name, run->journal_name)
					   ? -1
					   : living_take(directory, entry->name, &lives);
		if (lives)
			return true;
	}
	return now.st_mtim.tv_sec > before.st_mtim.tv_sec ||
	       (now.st_mtim.tv_sec == before.st_mtim.tv_sec &&
		now.st_mtim.tv_nsec > before.st_mtim.tv_nsec);
}

bool journal_beside(const struct plan *plan, const struct run *run)
{
	bool beside = false;
	for (unsigned i = 0; i < run->journal_count && !beside; i++)
		beside = run->journals[i] >= 0 &&
			 is_beside(&plan->searched[i], run, run->journals[i]);
	return beside;
}

void journal_end(const struct plan *plan, struct run *run)
{
	char path[PATH_MAX];
	for (unsigned i = 0; i < run->journal_count; i++)
		if (run->journals[i] >= 0 &&
		    str_put(path, sizeof(path), "%s/%s", plan->searched[i].runs, run->journal_name))
			unlink(path);
}

// False: its command has not begun, or the tree is another one.
static bool read_run(struct arena *arena, int fd, uint64_t inode, int64_t *ret_from,
		     const char **ret_names)
{
	struct stat status;
	const char *text;
	size_t length;
	char *after;
	if (fstat(fd, &status) < 0 ||
	    ATTEMPT(file_read_open(fd, &status, BYTES_MAX, arena, &text, &length)) < 0 ||
	    length < sizeof(end) || !str_ends(text, "\n.\n"))
		return false;
	long long from = strtoll(text, &after, 10);
	if (*after != ' ' || (uint64_t)strtoull(after, &after, 10) != inode || *after != '\n')
		return false;
	*ret_from = from;
	*ret_names =
		arena_copy(arena, after + 1, length - (size_t)(after + 1 - text) - strlen(end));
	return true;
}

// Names of the first, for what came by the second was planted by the first.
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due)
{
	struct due due = { .from = INT64_MAX };
	bool lives;
	due.directory = living_open(path_kept(arena, state, "runs", tree));
	entries_each (entry, due.directory) {
		int64_t from;
		const char *names;
		autoclose int fd = living_take(due.directory, entry->name, &lives);
		if (fd < 0 || due.count == DUE_MAX)
			continue;
		if (!read_run(arena, fd, inode_of(tree), &from, &names)) {
			unlinkat(due.directory, entry->name, 0);
			continue;
		}
		due.names = from < due.from ? names : due.names;
		due.from = from < due.from ? from : due.from;
		due.files[due.count] = arena_copy(arena, entry->name, strlen(entry->name));
		due.fds[due.count++] = take(&fd);
	}
	if (due.count == 0) {
		fd_close(&due.directory); // with its lock
		return false;
	}
	fd_lock(due.directory, LOCK_UN);
	*ret_due = due;
	return true;
}

static void cut(const struct due *due, const char *file)
{
	enum { TRIES = 3 };
	char next[NAME_MAX + 1];
	const char *number = strchr(file + strcspn(file, "-"), '.');
	int tries = 1 + (number ? atoi(number + 1) : 0);
	str_put(next, sizeof(next), "%.*s.%d", (int)(number ? number - file : (long)strlen(file)),
		file, tries);
	if (tries >= TRIES || renameat(due->directory, file, due->directory, next) < 0)
		unlinkat(due->directory, file, 0);
}

void journal_done(struct due *due, enum due_end what)
{
	for (unsigned i = 0; i < due->count; i++) {
		if (what == DUE_CHECKED)
			unlinkat(due->directory, due->files[i], 0);
		else if (what == DUE_CUT)
			cut(due, due->files[i]);
		fd_close(&due->fds[i]);
	}
	fd_close(&due->directory);
}
