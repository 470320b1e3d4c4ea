// Owns a run's record of its trees: a file for each, with start time, inode, places and mounts.
// Without the last line "." the command has not begun. A link in the tree's state directory leads
// to the file.
#include "postcheck/postcheck.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "boxes/record.h"
#include "names/names.h"
#include "plan.h"
#include "report/findings.h"
#include "run.h"
#include "text/words.h"

enum { BYTES_MAX = 64 << 20 };
static const char end[] = ".\n";

struct head {
	int64_t from;
	uint64_t inode, table;
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

static const char none[] = "-";

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

// Whether the path is in the tree, or in a git directory outside all trees.
static bool is_of(const struct plan *plan, const char *path, const char *tree)
{
	bool is = path_within(path, tree);
	for (unsigned i = 0; i < plan->tree_count && !is; i++)
		if (path_within(path, plan->trees[i].path))
			return false;
	for (unsigned i = 0; i < plan->place_count && !is; i++)
		is = plan->places[i].role == PLACE_GIT && path_within(path, plan->places[i].path);
	return is;
}

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

enum { LINK_MAX = RECORD_NAME + 16 };

// Writes the record's file `stood.N`, and the link PID-TIME.N that leads to it.
static int begin_tree(const struct plan *plan, const struct run *run, unsigned number)
{
	char link[LINK_MAX];
	struct out out = { 0 };
	const struct tree *tree = &plan->trees[number];
	const struct head head = {
		.from = times_from(&plan->start),
		.inode = inode_of(tree->path),
		.table = trusted_hash,
		.index = plan->index ? plan->index : none,
		.repository = plan->repository ? plan->repository : none,
	};
	// The link comes first: is_beside() needs the links' directory older than the file.
	str_put(link, sizeof(link), "%s.%u", run->record_name, number);
	if (record_link(run->record, tree->runs, link) < 0)
		return -1;
	str_put(link, sizeof(link), "stood.%u", number);
	autoclose int fd =
		openat(run->record, link, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	words_write(&out, "", head_fields, WORDS_COUNT(head_fields), &head);
	put_plan(&out, plan, tree->path);
	out_text(&out, "%s", end);
	bool done = fd >= 0 && fd_write_all(fd, out.text, out.used) == 0;
	out_free(&out);
	return done ? take(&fd) : -1;
}

void journal_begin(const struct plan *plan, struct run *run)
{
	for (unsigned i = 0; run->record >= 0 && i < plan->tree_count && i < JOURNALS_MAX; i++) {
		int fd = ATTEMPT(begin_tree(plan, run, i));
		if (fd < 0)
			run->journal_problem = errno;
		run->journals[run->journal_count++] = fd;
	}
}

// Whether another box lives (has a link), or lived since (changed the links' directory).
static bool is_beside(const struct plan *plan, const struct run *run, unsigned number)
{
	struct stat before, now;
	const char *links = plan->trees[number].runs;
	if (fstat(run->journals[number], &before) < 0 || stat(links, &now) < 0)
		return false;
	return records_live(plan->state, links, run->record_name) ||
	       times_from(&now.st_mtim) > times_from(&before.st_mtim);
}

bool journal_beside(const struct plan *plan, const struct run *run)
{
	bool beside = false;
	for (unsigned i = 0; i < run->journal_count && !beside; i++)
		beside = run->journals[i] >= 0 && is_beside(plan, run, i);
	return beside;
}

void journal_report(const struct run *run, struct findings *found)
{
	if (run->journal_problem)
		findings_add(found, FINDING_JOURNAL, "", strerror(run->journal_problem), "");
	else if (run->cache_disk_full)
		findings_add(
			found, FINDING_WARNING, "",
			"the state directory's disk is full, so nothing is cached in this run: "
			"free some space there",
			"");
}

static void end_tree(int boxes, const char *links, const char *link)
{
	char path[PATH_MAX];
	int name = (int)strcspn(link, ".");
	if (str_put(path, sizeof(path), "%.*s/stood%.2s", name, link, link + name))
		unlinkat(boxes, path, 0);
	if (str_put(path, sizeof(path), "%s/%s", links, link))
		unlink(path);
}

void journal_end(const struct plan *plan, struct run *run)
{
	char link[LINK_MAX];
	for (unsigned i = 0; i < run->journal_count; i++) {
		str_put(link, sizeof(link), "%s.%u", run->record_name, i);
		end_tree(run->boxes, plan->trees[i].runs, link);
		fd_close(&run->journals[i]);
	}
	run->journal_count = 0;
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

// False: the command had not begun, or the tree is another directory. With another table of names
// the listings count as incomplete.
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

static int open_stood(int boxes, const char *link)
{
	char path[LINK_MAX];
	int name = (int)strcspn(link, ".");
	return str_put(path, sizeof(path), "%.*s/stood%.2s", name, link, link + name)
		       ? openat(boxes, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
		       : -1;
}

static void end_due(const struct due *due, const char *link)
{
	char name[RECORD_NAME];
	end_tree(due->boxes, due->links, link);
	if (str_put(name, sizeof(name), "%.*s", (int)strcspn(link, "."), link))
		record_release(due->boxes, name);
}

static int claim(const struct due *due, const char *link)
{
	char name[RECORD_NAME];
	bool lives = true;
	if (!str_put(name, sizeof(name), "%.*s", (int)strcspn(link, "."), link))
		return -1;
	int lock = record_claim(due->boxes, name, &lives);
	if (lock < 0 && errno == ENOENT && !lives)
		end_tree(due->boxes, due->links, link);
	return lock;
}

// Takes the first run's listings: later ones may have names that the first planted.
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due)
{
	struct due due = { .from = INT64_MAX, .links = path_kept(arena, state, "trees", tree) };
	autoclose int links = open(due.links, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	autoclose int boxes = -1;
	entries_each (entry, links) {
		int64_t from;
		struct plan plan;
		due.boxes = boxes = boxes < 0 ? records_open(state) : boxes;
		autoclose int lock = due.count < DUE_MAX ? claim(&due, entry->name) : -1;
		autoclose int fd = lock < 0 ? -1 : open_stood(boxes, entry->name);
		if (lock < 0)
			continue;
		if (fd < 0 || !read_run(arena, fd, inode_of(tree), &from, &plan)) {
			end_due(&due, entry->name);
			continue;
		}
		due.plan = from < due.from ? plan : due.plan;
		due.from = from < due.from ? from : due.from;
		due.files[due.count] = arena_copy(arena, entry->name, strlen(entry->name));
		due.fds[due.count++] = take(&lock);
	}
	due.boxes = due.count > 0 ? take(&boxes) : -1;
	*ret_due = due;
	return due.count > 0;
}

void journal_done(struct due *due, bool checked)
{
	for (unsigned i = 0; i < due->count; i++) {
		if (checked)
			end_due(due, due->files[i]);
		fd_close(&due->fds[i]);
	}
	fd_close(&due->boxes);
}
