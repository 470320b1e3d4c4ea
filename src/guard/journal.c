// Owns the journal of a tree: its file, and who may change it. Byte 0 is locked by who writes, byte
// ID by who lives, byte LOOK by who looks.
#include "guard/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"
#include "base/times.h"
#include "guard/clock.h"
#include "guard/lines_file.h"
#include "guard/vet.h"
#include "plan.h"
#include "run.h"

enum { SECOND = 1000000000, ENDED_MOST = 1024 };
// So many boxes are many; each look is followed by so many times its own time without one.
enum { MANY = 3, REST_PARTS = 6, REST_MOST = SECOND / 2 };
#define LOOK ((uint64_t)1 << 62)

static void add_span(struct spans *spans, int64_t from, int64_t to)
{
	struct span *last = &spans->list[SPANS_OTHERS - 1];
	if (spans->count < SPANS_OTHERS) {
		spans->list[spans->count++] = (struct span){ from, to };
		return;
	}
	last->from = from < last->from ? from : last->from; // and what lies between
	last->to = to > last->to ? to : last->to;
}

// When the box with that id was gone, or what stands for "it is not".
static int64_t end_of(const struct lines *all, uint64_t id)
{
	struct journal_line line;
	for (const char *at = all->text; journal_next(&at, all->text + all->length, &line);)
		if (line.kind == JOURNAL_END && line.id == id)
			return line.to;
	return INT64_MAX;
}

// What the look that begins is for, besides its own run.
static struct {
	uint64_t ended[ENDED_MOST];
	unsigned count, others;
	bool own;     // nobody else has looked after this run
	int64_t rest; // no look before
} known;

static void know(const struct run *run, const struct lines *all, struct spans *ret_spans)
{
	struct journal_line line;
	known.count = known.others = 0;
	known.own = false;
	known.rest = 0;
	ret_spans->count = 0;
	ret_spans->earliest = INT64_MAX;
	for (const char *at = all->text; journal_next(&at, all->text + all->length, &line);) {
		bool own = line.id == run->journal_id;
		if (line.kind == JOURNAL_SPAN)
			add_span(ret_spans, line.from, line.to);
		if (line.kind == JOURNAL_REST)
			known.rest = line.to;
		known.own = known.own || (line.kind == JOURNAL_BEGIN && own);
		if (line.kind != JOURNAL_BEGIN || own)
			continue;
		int64_t end = end_of(all, line.id);
		add_span(ret_spans, line.from, end);
		known.others++;
		if (end == INT64_MAX || known.count == ENDED_MOST)
			continue;
		known.ended[known.count++] = line.id;
		if (line.from < ret_spans->earliest)
			ret_spans->earliest = line.from;
	}
}

static bool know_anew(const struct run *run, int fd, struct spans *ret_spans)
{
	struct lines all;
	bool done = lines_load(fd, &all);
	if (done)
		know(run, &all, ret_spans);
	lines_unload(&all);
	return done;
}

static bool begins_look(struct lines *all, uint64_t id)
{
	for (unsigned i = 0; i < known.count; i++)
		if (known.ended[i] == id)
			return end_of(all, id) != INT64_MAX;
	return false;
}

static void mark_end(const struct run *run, int fd)
{
	struct out out = { 0 };
	lines_lock(fd, F_OFD_SETLKW, F_WRLCK, 0);
	out_text(&out, "E %llu %lld\n", (unsigned long long)run->journal_id,
		 (long long)times_now());
	lines_append(fd, &out);
	lines_lock(fd, F_OFD_SETLK, F_UNLCK, 0);
	out_free(&out);
}

// A time that is far away was noted before a clock was set.
static bool rests(void)
{
	int64_t left = known.rest - times_now();
	if (known.others < MANY || left <= 0 || left > REST_MOST)
		return false;
	struct timespec pause = { .tv_nsec = left };
	nanosleep(&pause, NULL);
	return true;
}

bool journal_turn(const struct run *run, unsigned tree, struct spans *ret_spans)
{
	*ret_spans = (struct spans){ .earliest = INT64_MAX };
	if (tree >= run->journal_count || run->journals[tree] < 0)
		return true;
	int fd = run->journals[tree];
	if (lines_lock(fd, F_OFD_SETLK, F_WRLCK, LOOK) < 0) {
		mark_end(run, fd);
		lines_lock(fd, F_OFD_SETLKW, F_WRLCK, LOOK);
	}
	if (!know_anew(run, fd, ret_spans) ||
	    (known.own && rests() && !know_anew(run, fd, ret_spans)))
		return true;
	if (!known.own)
		journal_release(run, tree);
	return known.own;
}

void journal_release(const struct run *run, unsigned tree)
{
	if (tree < run->journal_count && run->journals[tree] >= 0)
		lines_lock(run->journals[tree], F_OFD_SETLK, F_UNLCK, LOOK);
}

static void keep_line(struct out *out, struct lines *all, const struct journal_line *line)
{
	int64_t end = end_of(all, line->id);
	out_text(out, "B %llu %llu\n%.*s", (unsigned long long)line->id,
		 (unsigned long long)line->from, (int)line->length, line->names);
	if (end != INT64_MAX)
		out_text(out, "E %llu %lld\n", (unsigned long long)line->id, (long long)end);
}

// What stays after a look that came so far. A box that lives, or was killed, keeps its lines, and
// one that ended when the look had begun: it waits for its own.
static void put_rest(struct out *out, const struct run *run, struct lines *all,
		     enum searched_part part, int64_t before)
{
	struct journal_line line;
	struct spans spans = { 0 };
	for (const char *at = all->text; journal_next(&at, all->text + all->length, &line);) {
		bool own = line.kind == JOURNAL_BEGIN && line.id == run->journal_id;
		bool ended = own || (line.kind == JOURNAL_BEGIN && begins_look(all, line.id));
		if (line.kind == JOURNAL_SPAN && line.to > before)
			add_span(&spans, line.from, line.to);
		else if (ended && part != SEARCHED_ALL)
			add_span(&spans, line.from, own ? times_now() : end_of(all, line.id));
		else if (line.kind == JOURNAL_BEGIN && !ended)
			keep_line(out, all, &line);
	}
	for (unsigned i = 0; i < spans.count; i++)
		out_text(out, "S %llu %llu\n", (unsigned long long)spans.list[i].from,
			 (unsigned long long)spans.list[i].to);
}

void journal_end(const struct run *run, unsigned tree, enum searched_part part, int64_t before,
		 int64_t took)
{
	struct out out = { 0 };
	struct lines all;
	if (tree >= run->journal_count || run->journals[tree] < 0)
		return;
	int fd = run->journals[tree];
	lines_lock(fd, F_OFD_SETLKW, F_WRLCK, 0);
	if (lines_load(fd, &all)) {
		put_rest(&out, run, &all, part, before);
		int64_t rest = took * REST_PARTS < REST_MOST ? took * REST_PARTS : REST_MOST;
		if (known.others >= MANY && took > 0)
			out_text(&out, "L 0 %lld\n", (long long)(times_now() + rest));
		lines_replace(fd, all.place, &out);
	}
	lines_unload(&all);
	lines_lock(fd, F_OFD_SETLK, F_UNLCK, 0);
	if (out.used > 0 && part != SEARCHED_ALL) // what the user does now is later than the span
		clock_pass_now(fd);
	journal_release(run, tree);
	out_free(&out);
}

// Of what stood there: what the box has read-only, with all below it, and what else is mounted.
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
	for (unsigned i = 0; i < plan->guard_count; i++)
		list_each (item, &plan->guards[i].known)
			if (path_within(plan->guards[i].path, tree) && !strchr(item->text, '\n'))
				out_text(out, "w %s/%s\n", plan->guards[i].path, item->text);
}

static int open_journal(const char *file)
{
	char path[PATH_MAX];
	int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(AT_FDCWD, file, flags, 0600);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	snprintf(path, sizeof(path), "%.*s", (int)(path_name(file) - file - 1), file);
	autoclose int directory = owned_directory(path);
	return directory < 0 ? -1 : openat(AT_FDCWD, file, flags, 0600);
}

static int begin_tree(const struct plan *plan, const struct run *run, const struct searched *tree)
{
	struct out out = { 0 };
	autoclose int fd = open_journal(tree->journal);
	out_text(&out, "B %llu %llu\n", (unsigned long long)run->journal_id,
		 (unsigned long long)plan->start.tv_sec * SECOND +
			 (unsigned long long)plan->start.tv_nsec);
	put_names(&out, plan, tree->path);
	bool done = fd >= 0 && lines_lock(fd, F_OFD_SETLKW, F_WRLCK, 0) == 0 &&
		    lines_lock(fd, F_OFD_SETLK, F_WRLCK, run->journal_id) == 0 &&
		    lines_append(fd, &out);
	int problem = errno;
	out_free(&out);
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
	for (unsigned i = 0; i < plan->searched_count && i < JOURNALS_MOST; i++) {
		int fd = begin_tree(plan, run, &plan->searched[i]);
		if (fd < 0)
			run->journal_problem = errno;
		run->journals[run->journal_count++] = fd;
	}
	err_clear();
}

// Names of the first, for what came by the second was planted by the first.
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due)
{
	struct journal_line line;
	struct lines all;
	struct due due = { .from = INT64_MAX };
	autoclose int fd = openat(AT_FDCWD, path_kept(arena, state, "journal", tree),
				  O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	if (fd < 0 || fstat(fd, &status) < 0 || status.st_size == 0)
		return false;
	lines_lock(fd, F_OFD_SETLKW, F_WRLCK, 0);
	if (lines_load(fd, &all))
		for (const char *at = all.text; journal_next(&at, all.text + all.length, &line);)
			if (line.kind == JOURNAL_BEGIN && line.from < due.from &&
			    lines_lock(fd, F_OFD_GETLK, F_WRLCK, line.id) == 0) {
				due.from = line.from;
				due.names = arena_copy(arena, line.names, line.length);
			}
	lines_unload(&all);
	if (due.from == INT64_MAX)
		return false;
	due.fd = take(&fd);
	*ret_due = due;
	return true;
}

// Each that is dead has been looked after: it becomes a stretch of time, for the look at the tree.
void journal_done(struct due *due)
{
	struct out out = { 0 };
	struct journal_line line;
	struct lines all;
	if (lines_load(due->fd, &all)) {
		for (const char *at = all.text; journal_next(&at, all.text + all.length, &line);)
			if (line.kind == JOURNAL_BEGIN &&
			    lines_lock(due->fd, F_OFD_GETLK, F_WRLCK, line.id) != 0)
				keep_line(&out, &all, &line);
			else if (line.kind == JOURNAL_SPAN || line.kind == JOURNAL_BEGIN)
				out_text(&out, "S %llu %llu\n", (unsigned long long)line.from,
					 (unsigned long long)(line.kind == JOURNAL_SPAN
								      ? line.to
								      : times_now()));
		lines_replace(due->fd, all.place, &out);
	}
	lines_unload(&all);
	out_free(&out);
	fd_close(&due->fd);
}
