// Owns the journal of a tree: lines "B ID FROM" with the names that stood there, "E ID TO", "S FROM
// TO", "L 0 TO". Byte 0 is locked by who writes, byte ID by who lives.
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
#include "base/file.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"
#include "guard/clock.h"
#include "guard/vet.h"
#include "plan.h"
#include "run.h"

enum { BYTES_MOST = 4 << 20, FIRST_BYTES = 8192, DUE_SECONDS = 10, SECOND = 1000000000 };
// So many boxes are many; each look is followed by so many times its own time without one.
enum { MANY = 3, REST_PARTS = 20, REST_SECONDS = 20, LONGEST_SECONDS = 10 };

static int lock(int fd, int command, short type, uint64_t at)
{
	struct flock range = { .l_type = type, .l_start = (off_t)at, .l_len = 1 };
	int result;
	do
		result = fcntl(fd, command, &range);
	while (result < 0 && errno == EINTR);
	return command == F_OFD_GETLK && result == 0 ? range.l_type != F_UNLCK : result;
}

static bool read_number(const char **at, const char *end, uint64_t *ret_number)
{
	uint64_t number = 0;
	const char *from = *at;
	for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
		number = number * 10 + (uint64_t)(**at - '0');
	if (*at == from || *at == end)
		return false;
	++*at;
	*ret_number = number;
	return true;
}

bool journal_next(const char **at, const char *end, struct journal_line *ret_line)
{
	uint64_t one, two;
	if (end - *at < 2)
		return false;
	char kind = **at;
	*at += 2;
	if ((kind != 'B' && kind != 'E' && kind != 'S' && kind != 'L') ||
	    !read_number(at, end, &one) || !read_number(at, end, &two))
		return false;
	*ret_line = (struct journal_line){ .kind = kind == 'B'   ? JOURNAL_BEGIN
						   : kind == 'E' ? JOURNAL_END
						   : kind == 'S' ? JOURNAL_SPAN
								 : JOURNAL_REST,
					   .id = one,
					   .from = (int64_t)(kind == 'S' ? one : two),
					   .to = (int64_t)two,
					   .names = *at };
	while (kind == 'B' && *at < end && (**at == 'r' || **at == 'w')) {
		const char *newline = memchr(*at, '\n', (size_t)(end - *at));
		*at = newline ? newline + 1 : end;
	}
	ret_line->length = (size_t)(*at - ret_line->names);
	return true;
}

// The whole of it, from malloc().
static char *read_all(int fd, size_t *ret_length)
{
	struct stat status;
	*ret_length = 0;
	if (fstat(fd, &status) < 0 || status.st_size > BYTES_MOST)
		return NULL;
	char *text = malloc((size_t)status.st_size + 1);
	ssize_t length = text ? pread(fd, text, (size_t)status.st_size, 0) : -1;
	*ret_length = length > 0 ? (size_t)length : 0;
	return text;
}

static void add_span(struct spans *spans, int64_t from, int64_t to)
{
	struct span *last = &spans->list[SPANS_MOST - 1];
	if (spans->count < SPANS_MOST) {
		spans->list[spans->count++] = (struct span){ from, to };
		return;
	}
	last->from = from < last->from ? from : last->from; // and what lies between
	last->to = to > last->to ? to : last->to;
}

// When the box with that id was gone, or what stands for "it is not".
static int64_t end_of(const char *text, size_t length, uint64_t id)
{
	struct journal_line line;
	for (const char *at = text; journal_next(&at, text + length, &line);)
		if (line.kind == JOURNAL_END && line.id == id)
			return line.to;
	return INT64_MAX;
}

void journal_spans(const struct run *run, unsigned tree, struct spans *ret_spans)
{
	size_t length;
	struct journal_line line;
	if (tree >= run->journal_count)
		return;
	char *text = read_all(run->journals[tree], &length);
	for (const char *at = text; text && journal_next(&at, text + length, &line);) {
		if (line.kind == JOURNAL_SPAN)
			add_span(ret_spans, line.from, line.to);
		else if (line.kind == JOURNAL_BEGIN && line.id != run->journal_id)
			add_span(ret_spans, line.from, end_of(text, length, line.id));
	}
	free(text);
}

// Whether one was not looked after for so long that a look is due, however short a run is.
static bool waits(int fd)
{
	struct journal_line line;
	size_t length;
	int64_t now = clock_of_files();
	bool old = false;
	char *text = read_all(fd, &length);
	for (const char *at = text; text && journal_next(&at, text + length, &line);)
		old = old || (line.kind == JOURNAL_SPAN &&
			      line.from < now - (int64_t)DUE_SECONDS * SECOND);
	free(text);
	return old;
}

// Boxes but this one.
static unsigned count_others(const struct run *run, const char *text, size_t length)
{
	struct journal_line line;
	unsigned count = 0;
	for (const char *at = text; journal_next(&at, text + length, &line);)
		count += line.kind == JOURNAL_BEGIN && line.id != run->journal_id;
	return count;
}

// A time that is far away was noted before a clock was set.
static bool is_resting(const char *text, size_t length)
{
	struct journal_line line;
	int64_t now = clock_of_files();
	for (const char *at = text; journal_next(&at, text + length, &line);)
		if (line.kind == JOURNAL_REST && line.to > now &&
		    line.to - now < (int64_t)REST_SECONDS * SECOND)
			return true;
	return false;
}

static void put_rest_time(struct out *out, int64_t took)
{
	out_text(out, "L 0 %lld\n", (long long)(clock_of_files() + took * REST_PARTS));
}

// Who begins a look says so before.
enum journal_turn journal_turn(const struct run *run, unsigned tree)
{
	enum journal_turn turn = TURN_ALONE;
	size_t length;
	if (tree >= run->journal_count || run->journals[tree] < 0)
		return turn;
	int fd = run->journals[tree];
	lock(fd, F_OFD_SETLKW, F_WRLCK, 0);
	char *text = read_all(fd, &length);
	if (text && count_others(run, text, length) >= MANY) {
		struct out line = { 0 };
		turn = is_resting(text, length) ? TURN_OF_OTHERS : TURN_OF_MANY;
		if (turn == TURN_OF_MANY) { // nobody else meanwhile
			put_rest_time(&line, SECOND / REST_PARTS * LONGEST_SECONDS);
			(void)!fd_write_all(fd, line.text, line.used);
		}
		out_free(&line);
	}
	lock(fd, F_OFD_SETLK, F_UNLCK, 0);
	free(text);
	return turn;
}

// What stays after a look that came so far. A box that lives, or was killed, keeps its lines.
static void put_rest(struct out *out, const struct run *run, const char *text, size_t length,
		     enum searched_part part, int64_t before)
{
	struct journal_line line;
	struct spans spans = { 0 };
	for (const char *at = text; journal_next(&at, text + length, &line);) {
		int64_t to = line.kind == JOURNAL_SPAN    ? line.to
			     : line.kind == JOURNAL_BEGIN ? end_of(text, length, line.id)
							  : 0;
		bool own = line.kind == JOURNAL_BEGIN && line.id == run->journal_id;
		if (line.kind == JOURNAL_REST && part == SEARCHED_NOTHING &&
		    line.to > clock_of_files())
			out_text(out, "L 0 %llu\n", (unsigned long long)line.to);
		if (line.kind == JOURNAL_END || line.kind == JOURNAL_REST ||
		    (own && part == SEARCHED_ALL) || (!own && to <= before))
			continue;
		if (own)
			to = clock_of_files();
		if (to != INT64_MAX)
			add_span(&spans, line.from, to);
		else
			out_text(out, "B %llu %llu\n%.*s", (unsigned long long)line.id,
				 (unsigned long long)line.from, (int)line.length, line.names);
	}
	for (unsigned i = 0; i < spans.count; i++)
		out_text(out, "S %llu %llu\n", (unsigned long long)spans.list[i].from,
			 (unsigned long long)spans.list[i].to);
}

void journal_end(const struct run *run, unsigned tree, enum searched_part part, int64_t before,
		 int64_t took)
{
	struct out out = { 0 };
	size_t length;
	if (tree >= run->journal_count || run->journals[tree] < 0)
		return;
	int fd = run->journals[tree];
	lock(fd, F_OFD_SETLKW, F_WRLCK, 0);
	char *text = read_all(fd, &length);
	if (text)
		put_rest(&out, run, text, length, part, before);
	if (text && took > 0 && count_others(run, text, length) >= MANY)
		put_rest_time(&out, took);
	if (text && ftruncate(fd, 0) == 0 && out.used > 0)
		(void)!fd_write_all(fd, out.text, out.used);
	lock(fd, F_OFD_SETLK, F_UNLCK, 0);
	free(text);
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
	int flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(AT_FDCWD, file, flags, 0600);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	snprintf(path, sizeof(path), "%.*s", (int)(path_name(file) - file - 1), file);
	autoclose int directory = owned_directory(path);
	return directory < 0 ? -1 : openat(AT_FDCWD, file, flags, 0600);
}

void journal_begin(const struct plan *plan, struct run *run)
{
	struct timespec now;
	struct out out = { 0 };
	clock_gettime(CLOCK_MONOTONIC, &now);
	// Of one machine no two have the same nanosecond and pid.
	run->journal_id = 1 + ((uint64_t)now.tv_sec << 40 ^ (uint64_t)now.tv_nsec << 10 ^
			       (uint64_t)getpid()) %
				      ((uint64_t)1 << 61);
	for (unsigned i = 0; i < plan->searched_count && i < JOURNALS_MOST; i++) {
		const struct searched *tree = &plan->searched[i];
		int fd = open_journal(tree->journal);
		out.used = 0;
		out_text(&out, "B %llu %llu\n", (unsigned long long)run->journal_id,
			 (unsigned long long)plan->start.tv_sec * SECOND +
				 (unsigned long long)plan->start.tv_nsec);
		put_names(&out, plan, tree->path);
		if (fd < 0 || lock(fd, F_OFD_SETLKW, F_WRLCK, 0) < 0 ||
		    lock(fd, F_OFD_SETLK, F_WRLCK, run->journal_id) < 0 ||
		    fd_write_all(fd, out.text, out.used) < 0)
			run->journal_problem = errno;
		if (fd >= 0 && lseek(fd, 0, SEEK_CUR) > (off_t)out.used)
			run->journal_waits = run->journal_waits || waits(fd);
		if (fd >= 0)
			lock(fd, F_OFD_SETLK, F_UNLCK, 0);
		run->journals[run->journal_count++] = fd;
	}
	out_free(&out);
	err_clear();
}

// Names of the first, for what came by the second was planted by the first.
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due)
{
	size_t length;
	struct journal_line line;
	struct due due = { .from = INT64_MAX };
	autoclose int fd = openat(AT_FDCWD, path_kept(arena, state, "journal", tree),
				  O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	if (fd < 0 || fstat(fd, &status) < 0 || status.st_size == 0)
		return false;
	lock(fd, F_OFD_SETLKW, F_WRLCK, 0);
	char *text = read_all(fd, &length);
	for (const char *at = text; text && journal_next(&at, text + length, &line);)
		if (line.kind == JOURNAL_BEGIN && line.from < due.from &&
		    end_of(text, length, line.id) == INT64_MAX &&
		    lock(fd, F_OFD_GETLK, F_WRLCK, line.id) == 0) {
			due.from = line.from;
			due.names = arena_copy(arena, line.names, line.length);
		}
	free(text);
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
	size_t length;
	char *text = read_all(due->fd, &length);
	for (const char *at = text; text && journal_next(&at, text + length, &line);) {
		const char *names = line.names;
		bool lives = line.kind == JOURNAL_BEGIN &&
			     lock(due->fd, F_OFD_GETLK, F_WRLCK, line.id) != 0;
		if (lives)
			out_text(&out, "B %llu %llu\n%.*s", (unsigned long long)line.id,
				 (unsigned long long)line.from, (int)line.length, names);
		else if (line.kind == JOURNAL_SPAN || line.kind == JOURNAL_BEGIN)
			out_text(&out, "S %llu %llu\n", (unsigned long long)line.from,
				 (unsigned long long)(line.kind == JOURNAL_SPAN
							      ? line.to
							      : clock_of_files()));
	}
	if (text && ftruncate(due->fd, 0) == 0 && out.used > 0)
		(void)!fd_write_all(due->fd, out.text, out.used);
	free(text);
	out_free(&out);
	fd_close(&due->fd);
}
