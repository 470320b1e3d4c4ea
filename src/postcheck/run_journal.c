// Owns the journal of a tree: its file, and who may change it. Which bytes are locked says
// trees/living.h.
#include "postcheck/run_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#include "plan.h"
#include "postcheck/file_clock.h"
#include "postcheck/finding/finding.h"
#include "postcheck/journal_file.h"
#include "run.h"
#include "trees/living.h"

enum { SECOND = 1000000000 };
// So many boxes are many. For each five of them a look is followed by its own time without one,
// which is about as long as they take to end: the next look is for all of them.
enum { MANY = 3, REST_EACH = 5, REST_MAX = SECOND / 2 };
#define LOOK LIVING_LOOK

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

// The ends that stand in the lines, as each beginning asks for its own: of many boxes it would be
// sought in all lines.
static void note_ends(struct journal_turn *turn, const struct lines *all)
{
	struct journal_line line;
	turn->end_count = 0;
	for (const char *at = all->text; journal_next(&at, all->text + all->length, &line);)
		if (line.kind == JOURNAL_END && turn->end_count < JOURNAL_ENDED_MAX)
			turn->ends[turn->end_count++] = (struct journal_ended){ line.id, line.to };
}

// When the box with that id was gone, or what stands for "it is not".
static int64_t end_of(const struct journal_turn *turn, const struct lines *all, uint64_t id)
{
	struct journal_line line;
	for (unsigned i = 0; i < turn->end_count; i++)
		if (turn->ends[i].id == id)
			return turn->ends[i].to;
	if (turn->end_count < JOURNAL_ENDED_MAX)
		return INT64_MAX;
	for (const char *at = all->text; journal_next(&at, all->text + all->length, &line);)
		if (line.kind == JOURNAL_END && line.id == id)
			return line.to;
	return INT64_MAX;
}

static void know(const struct run *run, const struct lines *all, struct journal_turn *turn)
{
	struct spans *spans = &turn->spans;
	struct journal_line line;
	int64_t began = INT64_MAX, beside = 0;
	turn->count = turn->others = 0;
	turn->rest = 0;
	spans->count = 0;
	spans->earliest = INT64_MAX;
	note_ends(turn, all);
	for (const char *at = all->text; journal_next(&at, all->text + all->length, &line);) {
		bool own = line.id == run->journal_id;
		if (line.kind == JOURNAL_SPAN)
			add_span(spans, line.from, line.to);
		if (line.kind == JOURNAL_REST)
			turn->rest = line.to;
		if (line.kind == JOURNAL_BESIDE)
			beside = line.to;
		if (line.kind == JOURNAL_BEGIN && own)
			began = line.from;
		if (line.kind != JOURNAL_BEGIN || own)
			continue;
		int64_t end = end_of(turn, all, line.id);
		add_span(spans, line.from, end);
		turn->others++;
		if (end == INT64_MAX || turn->count == JOURNAL_ENDED_MAX)
			continue;
		turn->ended[turn->count++] = line.id;
		if (line.from < spans->earliest)
			spans->earliest = line.from;
	}
	turn->own = began != INT64_MAX;
	spans->beside = turn->others > 0 || (beside > 0 && (!turn->own || beside >= began));
}

static bool know_anew(const struct run *run, int fd, struct journal_turn *turn)
{
	struct lines all;
	bool done = lines_load(fd, &all);
	if (done)
		know(run, &all, turn);
	lines_unload(&all);
	return done;
}

static bool begins_look(const struct journal_turn *turn, const struct lines *all, uint64_t id)
{
	for (unsigned i = 0; i < turn->count; i++)
		if (turn->ended[i] == id)
			return end_of(turn, all, id) != INT64_MAX;
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
static bool rests(const struct journal_turn *turn)
{
	int64_t left = turn->rest - times_now();
	if (turn->others < MANY || left <= 0 || left > REST_MAX)
		return false;
	struct timespec pause = { .tv_nsec = left };
	nanosleep(&pause, NULL);
	return true;
}

bool journal_turn(const struct run *run, unsigned tree, struct journal_turn *turn)
{
	*turn = (struct journal_turn){ .spans.earliest = INT64_MAX };
	if (tree >= run->journal_count || run->journals[tree] < 0)
		return true;
	int fd = run->journals[tree];
	if (lines_lock(fd, F_OFD_SETLK, F_WRLCK, LOOK) < 0) {
		mark_end(run, fd);
		lines_lock(fd, F_OFD_SETLKW, F_WRLCK, LOOK);
	}
	if (!know_anew(run, fd, turn) || (turn->own && rests(turn) && !know_anew(run, fd, turn)))
		return true;
	if (!turn->own)
		journal_release(run, tree);
	return turn->own;
}

void journal_release(const struct run *run, unsigned tree)
{
	if (tree < run->journal_count && run->journals[tree] >= 0)
		lines_lock(run->journals[tree], F_OFD_SETLK, F_UNLCK, LOOK);
}

static void keep_line(struct out *out, const struct journal_turn *turn, const struct lines *all,
		      const struct journal_line *line)
{
	int64_t end = end_of(turn, all, line->id);
	out_text(out, "B %llu %llu\n%.*s", (unsigned long long)line->id,
		 (unsigned long long)line->from, (int)line->length, line->names);
	if (end != INT64_MAX)
		out_text(out, "E %llu %lld\n", (unsigned long long)line->id, (long long)end);
}

// What stays after a look that came so far. A box that lives, or was killed, keeps its lines, and
// one that ended when the look had begun: it waits for its own.
static void put_rest(struct out *out, const struct run *run, struct journal_turn *turn,
		     const struct lines *all, enum searched_part part, int64_t before)
{
	struct journal_line line;
	struct spans spans = { 0 };
	bool beside = turn->count > 0;
	note_ends(turn, all);
	for (const char *at = all->text; journal_next(&at, all->text + all->length, &line);) {
		bool own = line.kind == JOURNAL_BEGIN && line.id == run->journal_id;
		bool ended = own || (line.kind == JOURNAL_BEGIN && begins_look(turn, all, line.id));
		if (line.kind == JOURNAL_SPAN && line.to > before)
			add_span(&spans, line.from, line.to);
		else if (ended && part != SEARCHED_ALL)
			add_span(&spans, line.from, own ? times_now() : end_of(turn, all, line.id));
		else if (line.kind == JOURNAL_BEGIN && !ended)
			keep_line(out, turn, all, &line);
		beside = beside || (line.kind == JOURNAL_BEGIN && !ended);
	}
	for (unsigned i = 0; i < spans.count; i++)
		out_text(out, "S %llu %llu\n", (unsigned long long)spans.list[i].from,
			 (unsigned long long)spans.list[i].to);
	if (beside)
		out_text(out, "O 0 %lld\n", (long long)times_now());
}

void journal_end(const struct run *run, unsigned tree, struct journal_turn *turn,
		 enum searched_part part, int64_t before, int64_t took)
{
	struct out out = { 0 };
	struct lines all;
	if (tree >= run->journal_count || run->journals[tree] < 0)
		return;
	int fd = run->journals[tree];
	lines_lock(fd, F_OFD_SETLKW, F_WRLCK, 0);
	if (lines_load(fd, &all)) {
		put_rest(&out, run, turn, &all, part, before);
		int64_t rest = took * turn->others / REST_EACH;
		rest = rest < REST_MAX ? rest : REST_MAX;
		if (turn->others >= MANY && took > 0)
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
	str_put(path, sizeof(path), "%.*s", (int)(path_name(file) - file - 1), file);
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
	for (unsigned i = 0; i < plan->searched_count && i < JOURNALS_MAX; i++) {
		int fd = ATTEMPT(begin_tree(plan, run, &plan->searched[i]));
		if (fd < 0)
			run->journal_problem = errno;
		run->journals[run->journal_count++] = fd;
	}
}

// Names of the first, for what came by the second was planted by the first.
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due)
{
	struct journal_line line;
	struct lines all;
	struct due due = { .from = INT64_MAX };
	autoclose int fd = openat(AT_FDCWD, path_kept(arena, state, "journal", tree),
				  O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
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
	struct journal_turn turn;
	if (lines_load(due->fd, &all)) {
		note_ends(&turn, &all);
		for (const char *at = all.text; journal_next(&at, all.text + all.length, &line);)
			if (line.kind == JOURNAL_BEGIN &&
			    lines_lock(due->fd, F_OFD_GETLK, F_WRLCK, line.id) != 0)
				keep_line(&out, &turn, &all, &line);
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
