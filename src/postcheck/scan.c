// Owns the look after a run at the repositories below the top: new ones, and those that differ from
// the list. What time does not suffice for is looked at after the next run.
#include "postcheck/scan.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file_state.h"
#include "base/path.h"
#include "base/str.h"
#include "base/testing.h"
#include "base/times.h"
#include "names/trusted.h"
#include "postcheck/commands.h"
#include "postcheck/finding/changed.h"
#include "postcheck/finding/finding.h"
#include "postcheck/git/made_bare.h"
#include "postcheck/git/vet.h"
#include "postcheck/led.h"
#include "postcheck/links.h"
#include "postcheck/git/old_bare.h"
#include "postcheck/quiet.h"
#include "postcheck/run_journal.h"
#include "postcheck/secrets.h"
#include "report/findings.h"
#include "trees/dirs.h"
#include "trees/git_list.h"
#include "trees/git_walk.h"
#include "trees/share.h"

enum { LOOK_NANOSECONDS = 500000000, TICK_NANOSECONDS = 20000000 };
enum { NEW_ROWS_MAX = LISTED_ROWS_MAX / 2 };
#define LIST_BYTES (((size_t)192 << 20) + SHARE_ARENA)

struct scan {
	struct check *check;
	const struct searched *tree;
	struct listed old; // the list
	struct listed now; // what was met
	struct dirs known, fresh;
	char boot[LISTED_BOOT];
	bool whole;            // the whole tree is checked, or
	struct share share;    // these parts; `known` and `fresh` are of them
	struct timespec start; // of what the share is owed a check for
	bool same_index;       // as that of the last list of the share
	bool again;            // it is the second walk
	struct check_secrets secrets;
	struct led led;
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

static bool is_listed(const struct scan *scan, const struct listed_row *row, int directory,
		      const char *name)
{
	struct stat status;
	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       listed_is(&scan->old, row, &status, scan->check->root_device);
}

// One of the list by path and inode, or one that was made while no box lived.
static bool is_users(const struct scan *scan, int directory, const char *name, const char *path)
{
	const struct listed_row *row = listed_find(&scan->old, path + scan->check->root + 1);
	if (row && row->kind != LISTED_PART && is_listed(scan, row, directory, name))
		return true;
	autoclose int fd = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? finding_is_own(scan->check, directory, name, path, OWN_ALL)
		      : old_bare(scan->check, scan->tree->path, fd, path);
}

// Whether it is the user's own. `same`: its parts are as the list has them.
static bool look_at(struct scan *scan, int directory, const char *name, const char *path, bool same)
{
	struct check *check = scan->check;
	bool users = same || is_users(scan, directory, name, path);
	const struct listed *known = check->known;
	unsigned before = findings_count(check->found);
	check->known = users ? known : NULL;
	if (same)
		vet_data(check, directory, name, path);
	else if (!str_equal(name, "."))
		vet_repository(check, directory, name, path);
	else if (users)
		vet_parts(check, directory, path, 0);
	else
		bare_look(check, directory, path);
	check->known = known;
	if (findings_count(check->found) > before)
		findings_add(check->found,
			     users ? FINDING_REPOSITORY_CHANGED : FINDING_REPOSITORY_MADE,
			     finding_path(check->plan, path), "", "");
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
static void look_below(struct scan *scan, const struct git_walk *walk, int directory)
{
	char top[PATH_MAX];
	struct stat status;
	if (fstatat(directory, ".git", &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(status.st_mode))
		return;
	str_put(top, sizeof(top), "%.*s", (int)(path_name(walk->path) - walk->path - 1),
		walk->path);
	commands_tell_below(scan->check, directory, top);
}

static void meet(struct git_walk *walk, int directory, const char *name)
{
	struct scan *scan = walk->owner;
	const char *inside = walk->path + walk->root + 1;
	const struct listed_row *row = listed_find(&scan->old, inside);
	enum listed_kind kind = row ? row->kind : LISTED_OWN;
	if (scan->check->plan->named_count > 0 && str_equal(name, ".git"))
		look_below(scan, walk, directory);
	// What this run's box found under a listed name may be what another box had put there, by
	// the number of what was there, too.
	bool stood = is_mounted(scan->check->plan, walk->path, name) &&
		     (!row || (is_listed(scan, row, directory, name) &&
			       !finding_is_of_boxes(scan->check, directory, name)));
	if (!stood && !look_at(scan, directory, name, walk->path,
			       row && is_same(scan, directory, name, inside)))
		kind = LISTED_MADE;
	if (row || scan->now.count < NEW_ROWS_MAX)
		listed_note(&scan->now, directory, name, inside, kind);
	else
		scan->now.full = true;
}

// A link in the share that is new, or where the index has a directory.
static void meet_link(struct scan *scan, const struct git_walk *walk, int directory,
		      const char *name)
{
	const char *path = walk->path + walk->root + 1;
	if (scan->share.count > 0 && (share_is_centre(&scan->share, path) ||
				      finding_is_changed(scan->check, directory, name)))
		led_follow(&scan->led, &scan->share, walk->top, scan->tree->path, path);
	if (!scan->again)
		links_look(scan->check, directory, name, walk->path);
}

static void look_at_entry(struct git_walk *walk, int directory, const struct dirent *entry)
{
	struct scan *scan = walk->owner;
	changed_take_pipe(scan->check, directory, entry->d_name, walk->path);
	const char *path = walk->path + walk->root + 1;
	struct timespec start = scan->check->start;
	secrets_look(&scan->secrets, scan->check, &scan->share, directory, entry->d_name, path);
	if (entry->d_type == DT_LNK)
		meet_link(scan, walk, directory, entry->d_name);
	// There each run has reported what it changed.
	if (scan->whole && scan->same_index && share_tracks(&scan->share, path))
		scan->check->start = scan->start;
	if (walk->depth > 0)
		changed_tell_deeper(scan->check, directory, entry->d_name, walk->path);
	changed_tell_shadow(scan->check, directory, entry->d_name, walk->path);
	scan->check->start = start;
}

// It is walked for itself.
static bool is_other_tree(struct git_walk *walk)
{
	const struct plan *plan = ((struct scan *)walk->owner)->check->plan;
	for (unsigned i = 0; i < plan->searched_count; i++)
		if (str_equal(plan->searched[i].path, walk->path))
			return true;
	return false;
}

// What was not met in a part of the tree stays, as long as it is there; it comes first.
static void keep_rest(struct scan *scan, const struct git_walk *walk)
{
	struct listed all = scan->now;
	struct stat status;
	autoclose int root = open(scan->tree->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool there = false;
	listed_empty(&all);
	listed_sort(&scan->now);
	for (unsigned i = 0; (walk->cut || !scan->whole) && i < scan->old.count; i++) {
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

// Where the next check begins. What both have seen takes one that came further no time.
static const char *next_place(const struct scan *scan, const struct git_walk *walk)
{
	bool further = scan->old.place[0] == '\0' && scan->fresh.length > scan->known.length;
	return walk->cut && further ? "" : walk->place;
}

static void end_tree(struct scan *scan, const struct git_walk *walk)
{
	struct check *check = scan->check;
	const char *name = check->plan->project && str_equal(scan->tree->path, check->plan->project)
				   ? "the project"
				   : finding_path(check->plan, scan->tree->path);
	bool part = walk->cut || !scan->whole;
	keep_rest(scan, walk);
	scan->now.place = scan->whole ? next_place(scan, walk) : scan->old.place;
	scan->now.checked = part && !walk->round ? scan->old.checked : times_now();
	memcpy(scan->now.boot, part ? scan->old.boot : scan->boot, sizeof(scan->now.boot));
	if (listed_differs(&scan->old, &scan->now))
		listed_write(&scan->now, scan->tree->list, false);
	if (walk->cut)
		findings_add(check->found, FINDING_SEARCHED_PART, name, "", "");
	if (walk->lost)
		findings_add(check->found, FINDING_TOO_DEEP, name, "", "");
	if (scan->now.full)
		findings_add(check->found, FINDING_TOO_MANY, name, "", "");
}

// The earlier boxes that were not checked, and this one. In another boot all is
// suspect that came since the last look and before the machine began: what was to be looked at
// then may be lost.
static void know_spans(struct scan *scan, const struct spans *others)
{
	struct check *check = scan->check;
	check->spans = *others;
	check->spans.list[check->spans.count++] = (struct span){ quiet_start(check), INT64_MAX };
	if (check->timeless || str_equal(scan->old.boot, scan->boot) || !scan->old.boot[0])
		return;
	check->spans.list[check->spans.count++] = (struct span){ scan->old.checked, times_boot() };
}

static void write_dirs(struct scan *scan, const struct git_walk *walk)
{
	struct dirs *now = &scan->fresh;
	const char *file = scan->whole ? scan->tree->directories : scan->tree->share;
	now->whole =
		!walk->cut && !walk->lost && (scan->whole || (!walk->owed && scan->known.whole));
	if (!scan->whole && !walk->cut && !walk->lost) // else the next one checks all
		now->index = scan->share.index;
	bool writes = walk->fresh && !scan->check->timeless;
	if (writes)
		dirs_write_changed(now, &scan->known, file, scan->boot);
	if (writes && scan->whole && now->whole && scan->share.count > 0)
		quiet_write_share(&scan->share, now, scan->tree);
	dirs_free(now);
}

static bool read_list(struct scan *scan, const struct searched *tree,
		      const struct journal_turn *turn, struct arena *arena)
{
	struct check *check = scan->check;
	struct stat status;
	struct dirs old;
	scan->tree = tree;
	scan->now = (struct listed){ .arena = arena, .root = tree->path };
	scan->known = scan->fresh = (struct dirs){ 0 };
	listed_boot(scan->boot);
	if (stat(tree->path, &status) == 0)
		scan->now.device = status.st_dev;
	if (listed_read(arena, tree->list, tree->path, &scan->old) < 0) {
		// It was there in time for this run's start, so the newer one looks, too.
		findings_add(check->found, FINDING_NOT_COMPARED, "", err_taken(), "");
		return false;
	}
	secrets_read(&scan->secrets, tree, arena);
	scan->led = (struct led){ .arena = arena };
	check->known = &scan->old;
	check->root = strlen(tree->path);
	check->root_device = scan->now.device;
	check->timeless = check->start.tv_sec == 0 || !times_are_ours(tree->path);
	scan->whole = check->timeless || quiet_is_whole(check, tree, turn, arena, &scan->known);
	scan->whole = !quiet_share(check->plan, tree, arena, &scan->share) || scan->whole;
	scan->same_index = scan->share.count > 0 &&
			   dirs_read(arena, tree->share, scan->boot, &old) &&
			   file_state_equal(&old.index, &scan->share.index);
	if (!scan->whole)
		share_compare(arena, &scan->share, &scan->known);
	else
		scan->known = (struct dirs){ 0 };
	if (scan->whole && !check->timeless)
		dirs_read(arena, tree->directories, scan->boot, &scan->known);
	return true;
}

// Goes through the share once more, with the directories that links in it lead to.
static void walk_led(struct scan *scan, struct git_walk *walk)
{
	struct led led = scan->led;
	if (led.count == 0 || walk->cut)
		return;
	share_add(led.arena, &scan->share, led.paths, led.count);
	if (scan->whole)
		return;
	share_compare(led.arena, &scan->share, &scan->known);
	dirs_free(&scan->fresh);
	scan->again = true;
	walk_tree(walk, scan->tree->path, "");
	scan->again = false;
}

static void scan_tree(struct scan *scan, const struct searched *tree, const struct run *run,
		      const struct journal_turn *turn)
{
	unsigned number = (unsigned)(tree - scan->check->plan->searched);
	int64_t begin = times_now();
	struct check *check = scan->check;
	struct timespec start = check->start;
	struct arena *arena = arena_new_of(LIST_BYTES);
	if (!read_list(scan, tree, turn, arena)) {
		journal_end(run, number, turn, 0, 0);
		arena_free(arena);
		return;
	}
	struct git_walk walk = { .entry = look_at_entry,
				 .repository = meet,
				 .passes = is_other_tree,
				 .keeps = trusted_keeps,
				 .owner = scan,
				 .processor = testing_look(LOOK_NANOSECONDS),
				 .known = scan->known.text ? &scan->known : NULL,
				 .share = scan->whole ? NULL : &scan->share,
				 .fresh = scan->whole && scan->old.place[0] ? NULL : &scan->fresh,
				 .settled = begin - TICK_NANOSECONDS,
				 .since = quiet_since(check, turn, scan->whole) };
	scan->start = times_of(quiet_since(check, turn, false));
	know_spans(scan, &turn->spans);
	if (start.tv_sec > 0)
		check->start = times_of(walk.since);
	long took = walk_tree(&walk, tree->path, scan->whole ? scan->old.place : "");
	walk_led(scan, &walk);
	check->start = start;
	end_tree(scan, &walk);
	secrets_write(&scan->secrets, tree);
	bool all = !walk.cut && (scan->whole || (!walk.owed && scan->known.whole));
	write_dirs(scan, &walk);
	journal_end(run, number, turn,
		    all          ? turn->begin
		    : walk.round ? scan->old.checked
				 : 0,
		    all && scan->whole ? took : 0);
	check->known = NULL;
	arena_free(arena);
}

void scan_trees(struct check *check, const struct run *run)
{
	FORGIVING;
	static struct scan scan;
	struct journal_turn turn;
	scan = (struct scan){ .check = check };
	for (unsigned i = 0; i < check->plan->searched_count; i++) {
		bool ours = check->all ? journal_wait(run, i, &turn) && turn.owed != INT64_MAX
				       : journal_turn(run, i, &turn);
		check->beside = check->beside || turn.spans.beside;
		if (ours)
			scan_tree(&scan, &check->plan->searched[i], run, &turn);
		else
			journal_release(run, i);
	}
}
