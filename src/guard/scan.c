// Owns the look after a run at the repositories below the top: new ones, and those that differ from
// the list. What time does not suffice for is looked at after the next run.
#include "guard/scan.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "base/times.h"
#include "base/trusted.h"
#include "git/listed.h"
#include "git/dirs.h"
#include "git/walk.h"
#include "guard/bare.h"
#include "guard/changed.h"
#include "guard/check.h"
#include "guard/commands.h"
#include "guard/journal.h"
#include "guard/links.h"
#include "guard/quiet.h"
#include "guard/vet.h"

enum { LOOK_NANOSECONDS = 500000000, TICK_NANOSECONDS = 20000000, NANOSECONDS = 1000000000 };
enum { TOLD_MOST = 8 };
enum { LIST_BYTES = 192 << 20, NEW_ROWS_MOST = LISTED_ROWS_MOST / 2 };

struct scan {
	struct check *check;
	const struct searched *tree;
	struct listed old; // the list
	struct listed now; // what was met
	struct dirs known, fresh;
	char boot[LISTED_BOOT];
	unsigned told; // repositories of which something was told
	struct links links;
	struct deeper deeper;
};

// A directory around a .git is mounted, too, so that nobody moves it: the box writes there, and may
// make it a repository itself.
static bool is_mounted(const struct plan *plan, const char *path, const char *name)
{
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (str_equal(plan->mounts[i].target, path))
			return !str_equal(name, ".") || plan->mounts[i].access != ACCESS_WRITE;
	return false;
}

// Nothing came to another place between the tree's root and `directory` since the boxes began: each
// directory above has its old ctime, which no box can set back.
static bool is_in_place(const struct scan *scan, int directory, const char *path)
{
	autoclose int above = -1;
	for (const char *rest = path + scan->check->root; *rest; rest = strchrnul(rest + 1, '/')) {
		int next = openat(above < 0 ? directory : above, "..",
				  O_PATH | O_DIRECTORY | O_CLOEXEC);
		fd_close(&above);
		above = next;
		if (next < 0 || !vet_is_own(scan->check, next, ".", scan->tree->path, OWN_ALL))
			return false;
	}
	return true;
}

// In a directory that was there before each of the parts must have been, too. A push into it writes
// below objects and refs: then it must stand where it stood, with its HEAD.
static bool is_old_bare(const struct scan *scan, int directory, const char *path)
{
	static const char *const parts[] = { "HEAD", "commondir", "objects", "refs" };
	enum { UNTOUCHED = 2 };
	const struct check *check = scan->check;
	char below[PATH_MAX];
	struct stat status;
	bool whole = vet_is_own(check, directory, ".", path, OWN_ALL);
	if (!whole && !is_in_place(scan, directory, path))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (fstatat(directory, parts[i], &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (snprintf(below, sizeof(below), "%s/%s", path, parts[i]) >= (int)sizeof(below))
			return false;
		bool grows = i >= UNTOUCHED && !whole && S_ISDIR(status.st_mode) &&
			     !vet_is_made(check, directory, parts[i]);
		if (!grows && !vet_is_own(check, directory, parts[i], below, OWN_ALL))
			return false;
	}
	return true;
}

// One of the list by path and inode, or one that was made while no box lived.
static bool is_users(const struct scan *scan, int directory, const char *name, const char *path)
{
	struct stat status;
	const struct listed_row *row = listed_find(&scan->old, path + scan->check->root + 1);
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && row &&
	    row->kind != LISTED_PART &&
	    listed_is(&scan->old, row, &status, scan->check->root_device))
		return true;
	autoclose int fd = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? vet_is_own(scan->check, directory, name, path, OWN_ALL)
		      : is_old_bare(scan, fd, path);
}

// Whether it is the user's own. Of many the first are told.
static bool look_at(struct scan *scan, int directory, const char *name, const char *path)
{
	struct check *check = scan->check;
	bool users = is_users(scan, directory, name, path);
	struct out words = { 0 }, *told = check->told;
	const struct listed *known = check->known;
	check->known = users ? known : NULL;
	check->told = &words;
	if (!str_equal(name, "."))
		vet_repository(check, directory, name, path);
	else if (users)
		vet_parts(check, directory, path, 0);
	else
		bare_look(check, directory, path);
	check->known = known;
	check->told = told;
	if (words.used > 0 && scan->told++ < TOLD_MOST)
		out_text(told, "%ssbx: %s: a repository that this run %s\n", words.text,
			 vet_short_path(check->plan, path), users ? "changed" : "made");
	out_free(&words);
	return users;
}

static bool is_same(struct scan *scan, int directory, const char *name, const char *inside)
{
	struct listed one = { .arena = scan->now.arena };
	struct stat status;
	const struct listed_row *row = listed_find(&scan->old, inside);
	listed_note(&one, directory, name, inside, LISTED_OWN);
	listed_sort(&one);
	// A directory's own time says nothing, a file's does: another text may stand in it.
	bool file = fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    !S_ISDIR(status.st_mode);
	return listed_same(&scan->old, &one, inside) &&
	       !(file && row && one.count > 0 && row->changed != one.rows[0].changed);
}

// A worktree's or a submodule's top; walk->path is that of its .git.
static void look_below(struct scan *scan, const struct walk *walk, int directory)
{
	char top[PATH_MAX];
	struct stat status;
	if (fstatat(directory, ".git", &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(status.st_mode))
		return;
	snprintf(top, sizeof(top), "%.*s", (int)(path_name(walk->path) - walk->path - 1),
		 walk->path);
	commands_tell_below(scan->check, directory, top);
}

static void meet(struct walk *walk, int directory, const char *name)
{
	struct scan *scan = walk->owner;
	const char *inside = walk->path + walk->root + 1;
	const struct listed_row *row = listed_find(&scan->old, inside);
	enum listed_kind kind = row ? row->kind : LISTED_OWN;
	if (scan->check->plan->named_count > 0 && str_equal(name, ".git"))
		look_below(scan, walk, directory);
	if (!is_mounted(scan->check->plan, walk->path, name) &&
	    !(row && is_same(scan, directory, name, inside)) &&
	    !look_at(scan, directory, name, walk->path))
		kind = LISTED_MADE;
	if (row || scan->now.count < NEW_ROWS_MOST)
		listed_note(&scan->now, directory, name, inside, kind);
	else
		scan->now.full = true;
}

static void look_at_entry(struct walk *walk, int directory, const struct dirent *entry)
{
	struct scan *scan = walk->owner;
	if (entry->d_type == DT_LNK)
		links_look(&scan->links, scan->check, directory, entry->d_name, walk->path);
	if (walk->depth > 0)
		changed_tell_deeper(&scan->deeper, scan->check, directory, entry->d_name,
				    walk->path);
}

// It is walked for itself.
static bool is_other_tree(struct walk *walk)
{
	const struct plan *plan = ((struct scan *)walk->owner)->check->plan;
	for (unsigned i = 0; i < plan->searched_count; i++)
		if (str_equal(plan->searched[i].path, walk->path))
			return true;
	return false;
}

// What was not met in a part of the tree stays, as long as it is there; it comes first.
static void keep_rest(struct scan *scan, const struct walk *walk)
{
	struct listed all = scan->now;
	struct stat status;
	autoclose int root = open(scan->tree->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool there = false;
	all.rows = NULL;
	all.count = all.room = 0;
	all.bytes = 0;
	listed_sort(&scan->now);
	for (unsigned i = 0; walk->cut && i < scan->old.count; i++) {
		const struct listed_row *row = &scan->old.rows[i];
		if (row->kind != LISTED_PART)
			there = !listed_find(&scan->now, row->path) &&
				fstatat(root, row->path, &status, AT_SYMLINK_NOFOLLOW) == 0;
		if (there)
			listed_keep(&all, row);
	}
	for (unsigned i = 0; i < scan->now.count; i++)
		listed_keep(&all, &scan->now.rows[i]);
	listed_sort(&all);
	scan->now = all;
}

static bool differs(const struct listed *left, const struct listed *right)
{
	if (left->count != right->count || !str_equal(left->place, right->place) ||
	    !str_equal(left->boot, right->boot) || left->device != right->device)
		return true;
	for (unsigned i = 0; i < left->count; i++)
		if (!str_equal(left->rows[i].path, right->rows[i].path) ||
		    left->rows[i].inode != right->rows[i].inode ||
		    left->rows[i].changed != right->rows[i].changed)
			return true;
	return false;
}

// Where the next look begins. One that came further than the look before goes through what both
// have seen in no time.
static const char *next_place(const struct scan *scan, const struct walk *walk)
{
	bool further = scan->old.place[0] == '\0' && scan->fresh.length > scan->known.length;
	return walk->cut && further ? "" : walk->place;
}

static void end_tree(struct scan *scan, const struct walk *walk)
{
	struct check *check = scan->check;
	const char *name = check->plan->project && str_equal(scan->tree->path, check->plan->project)
				   ? "the project"
				   : vet_short_path(check->plan, scan->tree->path);
	keep_rest(scan, walk);
	scan->now.place = next_place(scan, walk);
	scan->now.checked = walk->cut && !walk->round ? scan->old.checked : times_now();
	memcpy(scan->now.boot, walk->cut ? scan->old.boot : scan->boot, sizeof(scan->now.boot));
	if (differs(&scan->old, &scan->now))
		listed_write(&scan->now, scan->tree->list, false);
	if (walk->cut)
		out_text(check->told,
			 "sbx: new repositories were looked for in a part of %s: it is large, and "
			 "the next run goes on there\n",
			 name);
	if (walk->lost)
		out_text(check->told,
			 "sbx: %s has directories too deep to look for new repositories in: run no "
			 "git there\n",
			 name);
	if (scan->now.full)
		out_text(check->told,
			 "sbx: %s has more repositories than can be listed: some will be taken for "
			 "new again\n",
			 name);
}

// The boxes before this one that nobody has looked after, and this one. In another boot all is
// suspect that came since the last look and before the machine began: what was to be looked at
// then may be lost.
static void know_spans(struct scan *scan, const struct spans *others)
{
	struct check *check = scan->check;
	struct timespec real, boot;
	check->spans = *others;
	check->spans.list[check->spans.count++] = (struct span){ quiet_start(check), INT64_MAX };
	if (check->timeless || str_equal(scan->old.boot, scan->boot) || !scan->old.boot[0])
		return;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	check->spans.list[check->spans.count++] =
		(struct span){ scan->old.checked,
			       (real.tv_sec - boot.tv_sec) * (int64_t)NANOSECONDS + real.tv_nsec -
				       boot.tv_nsec };
}

static void write_dirs(struct scan *scan, const struct walk *walk)
{
	const struct dirs *old = &scan->known;
	struct dirs *now = &scan->fresh;
	now->whole = !walk->cut && !walk->lost;
	if (walk->fresh && !scan->check->timeless && now->length > 0 &&
	    (now->length != old->length || now->whole != old->whole ||
	     memcmp(now->text + old->begin, old->text + old->begin, now->length - old->begin) != 0))
		dirs_write(now, scan->tree->directories, scan->boot);
	dirs_free(now);
}

static bool read_list(struct scan *scan, const struct searched *tree, struct arena *arena)
{
	struct check *check = scan->check;
	struct stat status;
	scan->tree = tree;
	scan->now = (struct listed){ .arena = arena, .root = tree->path };
	scan->known = scan->fresh = (struct dirs){ 0 };
	listed_boot(scan->boot);
	if (stat(tree->path, &status) == 0)
		scan->now.device = status.st_dev;
	if (listed_read(arena, tree->list, tree->path, &scan->old) < 0) {
		// It was there in time for this run's start, so the newer one looks, too.
		out_text(check->told, "sbx: %s: nothing was compared with it\n", err_text());
		err_clear();
		return false;
	}
	check->known = &scan->old;
	check->root = strlen(tree->path);
	check->root_device = scan->now.device;
	check->timeless = check->start.tv_sec == 0 || !times_are_ours(tree->path);
	if (!check->timeless)
		dirs_read(arena, tree->directories, scan->boot, &scan->known);
	return true;
}

static void scan_tree(struct scan *scan, const struct searched *tree, const struct run *run,
		      const struct spans *spans)
{
	unsigned number = (unsigned)(tree - scan->check->plan->searched);
	int64_t begin = times_now();
	struct check *check = scan->check;
	struct timespec start = check->start;
	struct arena *arena = arena_new_of(LIST_BYTES);
	if (!read_list(scan, tree, arena)) {
		journal_end(run, number, SEARCHED_NOTHING, 0, 0);
		arena_free(arena);
		return;
	}
	struct walk walk = { .entry = look_at_entry,
			     .repository = meet,
			     .passes = is_other_tree,
			     .keeps = trusted_is_deeper,
			     .owner = scan,
			     .processor = LOOK_NANOSECONDS,
			     .known = scan->known.text ? &scan->known : NULL,
			     .fresh = scan->old.place[0] ? NULL : &scan->fresh,
			     .settled = begin - TICK_NANOSECONDS,
			     .since = quiet_since(check, spans) };
	know_spans(scan, spans);
	if (start.tv_sec > 0)
		check->start =
			(struct timespec){ walk.since / NANOSECONDS, walk.since % NANOSECONDS };
	long took = walk_tree(&walk, tree->path, scan->old.place);
	check->start = start;
	end_tree(scan, &walk);
	write_dirs(scan, &walk);
	journal_end(run, number,
		    !walk.cut    ? SEARCHED_ALL
		    : walk.round ? SEARCHED_ROUND
				 : SEARCHED_PART,
		    !walk.cut    ? begin
		    : walk.round ? scan->old.checked
				 : 0,
		    took);
	check->known = NULL;
	arena_free(arena);
}

void scan_trees(struct check *check, const struct run *run)
{
	static struct scan scan;
	struct spans spans;
	const struct plan *plan = check->plan;
	scan = (struct scan){ .check = check };
	for (unsigned i = 0; i < plan->searched_count; i++)
		if (journal_turn(run, i, &spans))
			scan_tree(&scan, &plan->searched[i], run, &spans);
	if (scan.told > TOLD_MOST)
		out_text(check->told, "sbx: and %u more such repositor%s\n", scan.told - TOLD_MOST,
			 scan.told == TOLD_MOST + 1 ? "y" : "ies");
	links_end(&scan.links, check);
	changed_end(&scan.deeper, check);
	err_clear();
}
