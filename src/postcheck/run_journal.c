// Owns the journal of a tree: its file, and which process may change it. trees/living.h says which
// bytes are locked.
#include "postcheck/run_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/steady.h"
#include "base/str.h"
#include "base/times.h"
#include "plan.h"
#include "postcheck/file_clock.h"
#include "postcheck/journal_file.h"
#include "run.h"
#include "trees/living.h"

enum { SECOND = 1000000000 };
#define LOOK LIVING_LOOK

static bool next(const struct lines *all, const char **at, struct journal_line *ret_line)
{
	*at = *at ? *at : all->text;
	return journal_next(at, all->text + all->length, ret_line);
}

// Keeps as many as there is room for: the two that are nearest to each other become one.
static void add_span(struct spans *spans, int64_t from, int64_t to)
{
	unsigned at = 0, nearest = 0;
	if (spans->count == SPANS_OTHERS) {
		for (unsigned i = 1; i + 1 < spans->count; i++)
			if (spans->list[i + 1].from - spans->list[i].to <
			    spans->list[nearest + 1].from - spans->list[nearest].to)
				nearest = i;
		if (spans->list[nearest].to < spans->list[nearest + 1].to)
			spans->list[nearest].to = spans->list[nearest + 1].to;
		spans->count--;
		for (unsigned i = nearest + 1; i < spans->count; i++)
			spans->list[i] = spans->list[i + 1];
	}
	for (at = spans->count; at > 0 && spans->list[at - 1].from > from; at--)
		spans->list[at] = spans->list[at - 1];
	spans->list[at] = (struct span){ from, to };
	spans->count++;
}

static bool is_run(const struct journal_line *line)
{
	return line->kind == JOURNAL_RUN || line->kind == JOURNAL_BESIDE;
}

static bool is_alive(int fd, const struct journal_line *line)
{
	return is_run(line) && lines_lock(fd, F_OFD_GETLK, F_WRLCK, line->id) != 0;
}

static void know(const struct run *run, int fd, const struct lines *all, struct journal_turn *turn)
{
	struct journal_line line;
	*turn = (struct journal_turn){ .begin = times_now(),
				       .owed = INT64_MAX,
				       .spans.earliest = INT64_MAX };
	for (const char *at = NULL; next(all, &at, &line);) {
		bool own = line.id != 0 && line.id == run->journal_id;
		turn->own = turn->own || own;
		if (line.kind == JOURNAL_TOOK)
			turn->took = line.to;
		if (line.kind == JOURNAL_TOOK || own)
			continue;
		add_span(&turn->spans, line.from, is_alive(fd, &line) ? INT64_MAX : line.to);
		turn->spans.beside = turn->spans.beside || line.kind != JOURNAL_OWED;
		if (line.kind == JOURNAL_OWED && line.from < turn->owed)
			turn->owed = line.from;
		if (line.kind == JOURNAL_ENDED && line.from < turn->spans.earliest)
			turn->spans.earliest = line.from;
	}
}

// Writes into the run's own record that it is alive, or that it has ended. Returns whether another
// one was alive at the same time.
static bool mark(const struct run *run, int fd, bool ended)
{
	bool beside = false;
	struct lines all;
	struct journal_line line;
	// A touch does not wait: the next one will do.
	if (lines_lock(fd, ended ? F_OFD_SETLKW : F_OFD_SETLK, F_WRLCK, 0) < 0)
		return false;
	if (lines_load(fd, &all))
		for (const char *at = NULL; next(&all, &at, &line);)
			if (is_run(&line) && line.id == run->journal_id) {
				beside = line.kind == JOURNAL_BESIDE;
				line.kind = ended ? JOURNAL_ENDED : line.kind;
				line.to = times_now();
				lines_change(fd, &all, &line);
			}
	lines_unload(&all);
	lines_lock(fd, F_OFD_SETLK, F_UNLCK, 0);
	return beside;
}

int journal_touch(struct run *run)
{
	enum { FIRST = 100, SHARE = 8, MOST = 10000 };
	int64_t now = steady_now(), wait = (now - run->began) / SHARE;
	if (run->journal_count == 0)
		return -1;
	if (run->touched > 0 && now < run->touched)
		return (int)(run->touched - now);
	for (unsigned i = 0; run->touched > 0 && i < run->journal_count; i++)
		if (run->journals[i] >= 0)
			mark(run, run->journals[i], false);
	wait = wait < FIRST ? FIRST : wait > MOST ? MOST : wait;
	run->touched = now + wait;
	return (int)wait;
}

static bool has_journal(const struct run *run, unsigned tree)
{
	return tree < run->journal_count && run->journals[tree] >= 0;
}

bool journal_wait(const struct run *run, unsigned tree, struct journal_turn *turn)
{
	struct lines all;
	*turn = (struct journal_turn){ .begin = times_now(),
				       .owed = INT64_MAX,
				       .spans.earliest = INT64_MAX };
	if (!has_journal(run, tree))
		return false;
	int fd = run->journals[tree];
	lines_lock(fd, F_OFD_SETLKW, F_WRLCK, LOOK);
	bool loaded = lines_load(fd, &all);
	if (loaded)
		know(run, fd, &all, turn);
	lines_unload(&all);
	return loaded;
}

bool journal_turn(const struct run *run, unsigned tree, struct journal_turn *turn)
{
	bool beside = has_journal(run, tree) && mark(run, run->journals[tree], true);
	bool loaded = journal_wait(run, tree, turn);
	turn->spans.beside = turn->spans.beside || beside;
	if (loaded && !turn->own)
		journal_release(run, tree);
	return !loaded || turn->own;
}

void journal_release(const struct run *run, unsigned tree)
{
	if (has_journal(run, tree))
		lines_lock(run->journals[tree], F_OFD_SETLK, F_UNLCK, LOOK);
}

static void put_spans(struct out *out, const struct spans *owed)
{
	for (unsigned i = 0; i < owed->count; i++)
		journal_put(out, &(struct journal_line){ .kind = JOURNAL_OWED,
							 .from = owed->list[i].from,
							 .to = owed->list[i].to });
}

static void put_took(struct out *out, int64_t took)
{
	if (took > 0)
		journal_put(out, &(struct journal_line){ .kind = JOURNAL_TOOK, .to = took });
}

static void put_run(struct out *out, const struct journal_line *line)
{
	journal_put(out, line);
	out_text(out, "%.*s", (int)line->length, line->names);
}

void journal_end(const struct run *run, unsigned tree, const struct journal_turn *turn,
		 int64_t done, int64_t took)
{
	struct out out = { 0 };
	struct lines all;
	struct journal_line line;
	struct spans owed = { 0 };
	if (!has_journal(run, tree))
		return;
	int fd = run->journals[tree];
	lines_lock(fd, F_OFD_SETLKW, F_WRLCK, 0);
	if (lines_load(fd, &all)) {
		for (const char *at = NULL; next(&all, &at, &line);)
			if (is_run(&line) || (line.kind == JOURNAL_ENDED && line.to > turn->begin))
				put_run(&out, &line);
			else if (line.kind != JOURNAL_TOOK && line.to > done)
				add_span(&owed, line.from, line.to);
		put_spans(&out, &owed);
		put_took(&out, took > 0 ? took : turn->took);
		lines_store(fd, &all, &out);
	}
	lines_unload(&all);
	lines_lock(fd, F_OFD_SETLK, F_UNLCK, 0);
	if (owed.count > 0) // what the user does now is later than the span
		clock_pass_now(fd);
	journal_release(run, tree);
	out_free(&out);
}

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

static int open_journal(const char *file)
{
	char path[PATH_MAX];
	int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(AT_FDCWD, file, flags, 0600);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	str_put(path, sizeof(path), "%.*s", (int)(path_name(file) - file - 1), file);
	autoclose int directory = owned_directory(path);
	return directory < 0 ? -1 : openat(AT_FDCWD, file, flags, 0600);
}

static int64_t owed_since(const struct lines *all)
{
	struct journal_line line;
	int64_t owed = INT64_MAX;
	for (const char *at = NULL; next(all, &at, &line);)
		if (line.kind == JOURNAL_OWED && line.from < owed)
			owed = line.from;
	return owed;
}

static bool add_record(const struct plan *plan, const struct run *run, int fd, const char *tree)
{
	struct out out = { 0 };
	struct lines all;
	struct journal_line line;
	int64_t start = plan->start.tv_sec * (int64_t)SECOND + plan->start.tv_nsec;
	if (!lines_load(fd, &all))
		return false;
	bool beside = false;
	for (const char *at = NULL; next(&all, &at, &line);) {
		bool alive = is_alive(fd, &line);
		line.kind = alive ? JOURNAL_BESIDE : line.kind;
		beside = beside || alive;
		put_run(&out, &line);
	}
	journal_put(&out, &(struct journal_line){ .kind = beside ? JOURNAL_BESIDE : JOURNAL_RUN,
						  .id = run->journal_id,
						  .from = start,
						  .to = start });
	put_names(&out, plan, tree);
	bool done = lines_store(fd, &all, &out);
	lines_unload(&all);
	out_free(&out);
	return done;
}

static int begin_tree(const struct plan *plan, const struct run *run, const struct searched *tree)
{
	autoclose int fd = open_journal(tree->journal);
	bool done = fd >= 0 && lines_lock(fd, F_OFD_SETLKW, F_WRLCK, 0) == 0 &&
		    lines_lock(fd, F_OFD_SETLK, F_WRLCK, run->journal_id) == 0 &&
		    add_record(plan, run, fd, tree->path);
	int problem = errno;
	if (done)
		lines_lock(fd, F_OFD_SETLK, F_UNLCK, 0);
	errno = problem;
	return done ? take(&fd) : -1;
}

void journal_begin(const struct plan *plan, struct run *run)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	// Of one machine no two have the same nanosecond and pid.
	run->journal_id = 1 + ((uint64_t)now.tv_sec << 40 ^ (uint64_t)now.tv_nsec << 10 ^
			       (uint64_t)getpid()) %
				      ((uint64_t)1 << 61);
	for (unsigned i = 0; i < plan->searched_count && i < JOURNALS_MAX; i++) {
		int fd = ATTEMPT(begin_tree(plan, run, &plan->searched[i]));
		if (fd < 0)
			run->journal_problem = errno;
		run->journals[run->journal_count++] = fd;
	}
}

void journal_open(const struct plan *plan, struct run *run)
{
	for (unsigned i = 0; i < plan->searched_count && i < JOURNALS_MAX; i++)
		run->journals[run->journal_count++] =
			ATTEMPT(open_journal(plan->searched[i].journal));
}

static int open_there(const char *file)
{
	return openat(AT_FDCWD, file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

// Names of the first, for what came by the second was planted by the first.
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due)
{
	struct journal_line line;
	struct lines all;
	struct due due = { .from = INT64_MAX, .owed = INT64_MAX };
	autoclose int fd = open_there(path_kept(arena, state, "journal", tree));
	if (fd < 0)
		return false;
	lines_lock(fd, F_OFD_SETLKW, F_WRLCK, 0);
	if (lines_load(fd, &all)) {
		due.owed = owed_since(&all);
		for (const char *at = NULL; next(&all, &at, &line);)
			if (is_run(&line) && line.from < due.from && !is_alive(fd, &line)) {
				due.from = line.from;
				due.names = arena_copy(arena, line.names, line.length);
			}
	}
	lines_unload(&all);
	if (due.from == INT64_MAX) // a debt needs no lock
		lines_lock(fd, F_OFD_SETLK, F_UNLCK, 0);
	if (due.from == INT64_MAX && due.owed == INT64_MAX)
		return false;
	due.fd = take(&fd);
	*ret_due = due;
	return true;
}

// Each that is dead has been checked for its names: the tree is still owed a check.
void journal_done(struct due *due)
{
	struct journal_line line;
	struct lines all;
	if (due->from != INT64_MAX && lines_load(due->fd, &all)) {
		for (const char *at = NULL; next(&all, &at, &line);)
			if (is_run(&line) && !is_alive(due->fd, &line)) {
				line.kind = JOURNAL_OWED;
				lines_change(due->fd, &all, &line);
			}
		lines_unload(&all);
	}
	fd_close(&due->fd);
}

int64_t journal_owed(const char *file)
{
	struct lines all;
	int64_t owed = INT64_MAX;
	autoclose int fd = open_there(file);
	if (fd < 0)
		return INT64_MAX;
	lines_lock(fd, F_OFD_SETLKW, F_RDLCK, 0);
	if (lines_load(fd, &all))
		owed = owed_since(&all);
	lines_unload(&all);
	return owed;
}
