// Owns the files of a tree's runs: the time of the start and the tree's inode, the places and the
// mounts, and a line "." at the end, without which the command has not begun.
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
#include "names/trusted.h"
#include "plan.h"
#include "report/findings.h"
#include "run.h"
#include "text/words.h"
#include "trees/git_list.h"

// The lines of a box of 4,096 names take some 200 KB.
enum { BYTES_MAX = 64 << 20 };
static const char end[] = ".\n";

struct head {
	int64_t from;
	uint64_t inode, table; // of the tree, and the table of names
	const char *index, *repository;
};

static const struct words_field head_fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct head, from),
	WORDS_FIELD(WORDS_NUMBER, struct head, inode),
	WORDS_FIELD(WORDS_NUMBER, struct head, table),
	WORDS_FIELD(WORDS_TEXT, struct head, index),
	WORDS_FIELD(WORDS_TEXT, struct head, repository),
};
static const struct words_field mount_fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct mount, kind),
	WORDS_FIELD(WORDS_NUMBER, struct mount, access),
	WORDS_FIELD(WORDS_TEXT, struct mount, target),
	WORDS_FIELD(WORDS_TEXT, struct mount, source),
};
static const struct words_field place_fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct place, role),
	WORDS_FIELD(WORDS_NUMBER, struct place, part),
	WORDS_FIELD(WORDS_NUMBER, struct place, inode),
	WORDS_FIELD(WORDS_TIME, struct place, changed),
	WORDS_FIELD(WORDS_TEXT, struct place, path),
	WORDS_FIELD(WORDS_TEXT, struct place, above),
};
static const struct words_field stood_fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct stood, type),
	WORDS_FIELD(WORDS_NUMBER, struct stood, inode),
	WORDS_FIELD(WORDS_TEXT, struct stood, name),
};
static const struct words_field name_fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct item, from.line),
	WORDS_FIELD(WORDS_NUMBER, struct item, from.order),
	WORDS_FIELD(WORDS_TEXT, struct item, text),
};

static const char none[] = "-"; // no text

static void put_place(struct out *out, const struct place *place)
{
	struct place put = *place;
	put.above = place->above && place->above[0] ? place->above : none;
	words_write(out, "p", place_fields, WORDS_COUNT(place_fields), &put);
	for (unsigned i = 0; i < place->count; i++)
		words_write(out, "b", stood_fields, WORDS_COUNT(stood_fields), &place->before[i]);
	list_each (item, &place->names)
		words_write(out, "n", name_fields, WORDS_COUNT(name_fields), item);
}

// And the git directory elsewhere of a worktree in this tree.
static bool is_of(const struct plan *plan, const char *path, const char *tree)
{
	bool is = path_within(path, tree);
	for (unsigned i = 0; i < plan->searched_count && !is; i++)
		if (path_within(path, plan->searched[i].path))
			return false;
	for (unsigned i = 0; i < plan->place_count && !is; i++)
		is = plan->places[i].role == PLACE_GIT && path_within(path, plan->places[i].path);
	return is;
}

// What the check needs of the plan: the places of this tree, and what the box saw.
static void put_plan(struct out *out, const struct plan *plan, const char *tree)
{
	for (unsigned i = 0; i < plan->mount_count; i++) {
		struct mount put = plan->mounts[i];
		put.source = put.kind == MOUNT_BIND ? put.source : none;
		words_write(out, "m", mount_fields, WORDS_COUNT(mount_fields), &put);
	}
	for (unsigned i = 0; i < plan->place_count; i++)
		if (is_of(plan, plan->places[i].path, tree))
			put_place(out, &plan->places[i]);
}

static uint64_t inode_of(const char *tree)
{
	struct stat status;
	return stat(tree, &status) == 0 ? status.st_ino : 0;
}

static int open_runs(const char *runs)
{
	int fd = living_open(runs);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	autoclose int made = owned_directory(runs);
	return made < 0 ? -1 : living_open(runs);
}

static int begin_tree(const struct plan *plan, const struct run *run, const struct searched *tree)
{
	struct out out = { 0 };
	const struct head head = {
		.from = times_from(&plan->start),
		.inode = inode_of(tree->path),
		.table = trusted_hash,
		.index = plan->index ? plan->index : none,
		.repository = plan->repository ? plan->repository : none,
	};
	autoclose int directory = open_runs(tree->runs);
	if (directory < 0)
		return -1;
	autoclose int fd = openat(directory, run->journal_name,
				  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	words_write(&out, "", head_fields, WORDS_COUNT(head_fields), &head);
	put_plan(&out, plan, tree->path);
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
	return times_from(&now.st_mtim) > times_from(&before.st_mtim);
}

bool journal_beside(const struct plan *plan, const struct run *run)
{
	bool beside = false;
	for (unsigned i = 0; i < run->journal_count && !beside; i++)
		beside = run->journals[i] >= 0 &&
			 is_beside(&plan->searched[i], run, run->journals[i]);
	return beside;
}

void journal_report(const struct run *run, struct findings *found)
{
	if (run->journal_problem)
		findings_add(found, FINDING_JOURNAL, "", strerror(run->journal_problem), "");
	else if (run->uncached)
		findings_add(found, FINDING_WARNING, "",
			     "the state directory's disk is full: nothing is cached in this run",
			     "");
}

void journal_end(const struct plan *plan, struct run *run)
{
	char path[PATH_MAX];
	for (unsigned i = 0; i < run->journal_count; i++)
		if (run->journals[i] >= 0 &&
		    str_put(path, sizeof(path), "%s/%s", plan->searched[i].runs, run->journal_name))
			unlink(path);
}

static bool read_line(struct plan *plan, struct arena *arena, char *line, unsigned rooms[3])
{
	struct mount mount = { .on_host = true };
	struct place place = { .path = "" }, *last = plan->places + plan->place_count - 1;
	struct stood stood;
	struct item item = { .next = NULL };
	const char kind = line[0];
	if (!words_next(arena, &line))
		return false;
	if (kind == 'm' &&
	    words_read(arena, &line, mount_fields, WORDS_COUNT(mount_fields), &mount)) {
		plan->mounts = arena_grow(arena, plan->mounts, plan->mount_count, &rooms[0],
					  sizeof(mount));
		plan->mounts[plan->mount_count++] = mount;
		return true;
	}
	if (kind == 'p' &&
	    words_read(arena, &line, place_fields, WORDS_COUNT(place_fields), &place)) {
		plan->places = arena_grow(arena, plan->places, plan->place_count, &rooms[1],
					  sizeof(place));
		place.above = str_equal(place.above, none) ? "" : place.above;
		plan->places[plan->place_count++] = place;
		rooms[2] = 0;
		return true;
	}
	if (plan->place_count == 0)
		return false;
	if (kind == 'b' &&
	    words_read(arena, &line, stood_fields, WORDS_COUNT(stood_fields), &stood)) {
		struct stood *before =
			arena_grow(arena, last->before, last->count, &rooms[2], sizeof(stood));
		before[last->count++] = stood;
		last->before = before;
		return true;
	}
	if (kind != 'n' || !words_read(arena, &line, name_fields, WORDS_COUNT(name_fields), &item))
		return false;
	list_add(&last->names, arena, item.text, item.from);
	return true;
}

// False: its command has not begun, or the tree is another one. Of names that another table counts
// not all are known.
static bool read_run(struct arena *arena, int fd, uint64_t inode, int64_t *ret_from,
		     struct plan *ret_plan)
{
	struct stat status;
	struct head head;
	struct plan plan = { .arena = arena, .due = true };
	const char *text;
	size_t length;
	unsigned rooms[3] = { 0 };
	if (fstat(fd, &status) < 0 ||
	    ATTEMPT(file_read_open(fd, &status, BYTES_MAX, arena, &text, &length)) < 0 ||
	    length < sizeof(end) || !str_ends(text, "\n.\n"))
		return false;
	char *at = arena_copy(arena, text, length - strlen(end)), *first = words_line(&at), *line;
	if (!first || !words_read(arena, &first, head_fields, WORDS_COUNT(head_fields), &head) ||
	    head.inode != inode)
		return false;
	while ((line = words_line(&at)))
		if (!read_line(&plan, arena, line, rooms))
			return false;
	for (unsigned i = 0; i < plan.place_count && head.table != trusted_hash; i++)
		plan.places[i].part = 1;
	plan.index = str_equal(head.index, none) ? NULL : head.index;
	plan.repository = str_equal(head.repository, none) ? NULL : head.repository;
	plan.start = times_of(head.from);
	*ret_from = head.from;
	*ret_plan = plan;
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
		struct plan plan;
		autoclose int fd = living_take(due.directory, entry->name, &lives);
		if (fd < 0 || due.count == DUE_MAX)
			continue;
		if (!read_run(arena, fd, inode_of(tree), &from, &plan)) {
			unlinkat(due.directory, entry->name, 0);
			continue;
		}
		due.plan = from < due.from ? plan : due.plan;
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
