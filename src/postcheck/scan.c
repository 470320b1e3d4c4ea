// Owns the search for repositories below a tree's top after a run: new ones, and those unlike the
// tree's list.
#include "postcheck/postcheck.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "postcheck/acts/check.h"
#include "postcheck/git/vet.h"
#include "report/findings.h"
#include "run.h"
#include "trees/trees.h"
#include "view/paths/wishes.h"

// LOOK_NANOSECONDS: time limit when no file time separates new from old.
enum { LOOK_NANOSECONDS = 500000000, NEW_ROWS_MAX = REPOS_ROWS_MAX / 2 };
#define LIST_BYTES ((size_t)192 << 20) // address space

struct scan {
	struct check *check;
	const struct tree *tree;
	struct repos old;
	struct repos now;
	bool whole; // check the tree, not only `share`
	struct share share;
	int64_t since; // read directories that changed from this time on
	int64_t checked;
	const struct run *run;
	bool moved;
};

const char *scan_directory(const struct plan *plan, const char *tree)
{
	size_t length = strlen(tree);
	if (!plan->directory || !path_within(plan->directory, tree))
		return "";
	return plan->directory[length] ? plan->directory + length + 1 : "";
}

void scan_prepare(const struct plan *plan, struct run *run)
{
	static struct share share;
	struct share indexed;
	if (plan->tree_count > 0 && plan->project && plan->indexed.inode != 0) {
		struct arena *arena = arena_new_of(SHARE_BYTES);
		if (share_read(arena, plan->index, &plan->indexed,
			       path_kept(arena, plan->state, "index", plan->project), &indexed)) {
			share_add(arena, &share, &indexed, scan_directory(plan, plan->project));
			run->share = &share;
		}
	}
	apart_leave();
}

// Collects the index's directories before and after the run. False: check the whole tree.
static bool choose(const struct check *check, const struct run *run, const struct tree *tree,
		   struct arena *arena, struct share *ret_share)
{
	const struct plan *plan = check->plan;
	const bool project = plan->project && plan->index && str_equal(tree->path, plan->project);
	const struct share none = { 0 }, *before = project && run->share ? run->share : &none;
	struct share share = { 0 };
	struct stat status;
	if (check->timeless || plan->profile->check == CHECK_ALL)
		return false;
	bool there = project && stat(plan->index, &status) == 0;
	struct file_state now = there ? file_state(&status) : (struct file_state){ 0 };
	if (there && file_state_equal(&now, &before->index)) {
		*ret_share = *before;
		return true;
	}
	if (project && !run->share && (plan->due || plan->indexed.inode != 0) &&
	    (!there || finding_is_late(check, &status)))
		return false;
	if (there && !share_read(arena, plan->index, &now, NULL, &share))
		return false;
	share_add(arena, &share, before, scan_directory(plan, tree->path));
	*ret_share = share;
	return true;
}

// True, to skip: protected repositories and mounts; false: the top of a writable mount.
static bool is_mounted(const struct plan *plan, const char *path, const char *name)
{
	if (str_equal(name, ".") && place_is_git(plan, path))
		return true;
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (str_equal(plan->mounts[i].target, path))
			return !str_equal(name, ".") || plan->mounts[i].access != ACCESS_WRITE;
	return false;
}

static bool is_listed(const struct scan *scan, const struct repos_row *row, int directory,
		      const char *name)
{
	struct stat status;
	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       repos_is(&scan->old, row, &status, scan->now.device) &&
	       // A parallel run may have listed what this run made.
	       (scan->check->timeless || row->changed < times_from(&scan->check->start)) &&
	       !finding_is_made(scan->check, directory, name);
}

// Whether the entry is the user's: its directory is unchanged, or the entry is, and was born after
// the last check while no box lived.
static bool stood_there(const struct scan *scan, int directory, const char *name)
{
	const struct check *check = scan->check;
	if (str_equal(name, ".") || check->timeless || finding_is_made(check, directory, name))
		return false;
	return !finding_is_changed(check, directory, "") ||
	       (!finding_is_changed(check, directory, name) &&
		finding_birth(directory, name) > scan->checked && !check->plan->due &&
		!journal_beside(check->plan, scan->run));
}

// Whether the repository is the user's: listed with this inode, or older than the run.
static bool is_users(const struct scan *scan, int directory, const char *name,
		     const struct repos_row *row)
{
	if (row && is_listed(scan, row, directory, name))
		return true;
	return !scan->moved && (finding_is_own(scan->check, directory, name) ||
				stood_there(scan, directory, name) ||
				(str_equal(name, ".") && bare_is_old(scan->check, directory)));
}

static bool look_at(struct scan *scan, int directory, const char *name, const char *path,
		    const struct repos_row *row)
{
	struct check *check = scan->check;
	unsigned before = findings_count(check->found), budget = check->budget;
	check->known = !check->timeless;
	bool users = is_users(scan, directory, name, row);
	check->made = users && row && row->kind == REPOS_MADE;
	check->known = users && !(check->timeless && check->made);
	check->budget = check->known ? ~0U : budget;
	if (users || !str_equal(name, "."))
		vet_repository(check, directory, name, path);
	else
		bare_look(check, directory, path);
	check->budget = check->known ? budget : check->budget;
	bool compared = !check->known || !check->timeless;
	check->known = check->made = false;
	const char *born = str_equal(name, ".") ? "HEAD" : name;
	bool stood = finding_birth(directory, born) && !finding_is_made(check, directory, born);
	if (findings_count(check->found) > before)
		findings_add(check->found,
			     users || stood ? FINDING_REPOSITORY_CHANGED : FINDING_REPOSITORY_MADE,
			     finding_path(check->plan, path), "", "");
	if (!compared)
		findings_add(check->found, FINDING_NOT_COMPARED, "",
			     finding_path(check->plan, path), "");
	return users;
}

static void meet(struct git_walk *walk, int directory, const char *name)
{
	struct scan *scan = walk->owner;
	const char *inside = walk->path + walk->root + 1;
	if (walk->probes) {
		walk->cut = walk->cut || !is_mounted(scan->check->plan, walk->path, name);
		return;
	}
	const struct repos_row *row = repos_find(&scan->old, inside);
	enum repos_kind kind = row ? row->kind : REPOS_OWN;
	scan->moved = walk->moved;
	bool listed = row && is_listed(scan, row, directory, name);
	bool stood = is_mounted(scan->check->plan, walk->path, name) && (!row || listed);
	if (!stood && !look_at(scan, directory, name, walk->path, row))
		kind = REPOS_MADE;
	if (listed && kind == row->kind)
		repos_keep(&scan->now, row);
	else if (row || scan->now.count < NEW_ROWS_MAX)
		repos_note(&scan->now, directory, name, inside, kind);
	else
		scan->now.full = true;
}

// False for a changed name that is protected at the top.
static bool is_quiet(const struct scan *scan, int directory, const char *name, const char *path)
{
	struct findings none = { 0 };
	struct check check = *scan->check;
	check.found = &none;
	check.rows = NULL;
	changed_tell_wall(&check, directory, name, path);
	bool quiet = findings_count(&none) == 0;
	findings_free(&none);
	return quiet;
}

static void look_at_entry(struct git_walk *walk, int directory, const char *name, unsigned type)
{
	struct scan *scan = walk->owner;
	if (walk->probes) {
		walk->cut = walk->cut || !is_quiet(scan, directory, name, walk->path);
		return;
	}
	if (walk->others) {
		changed_tell_wall(scan->check, directory, name, walk->path);
		return;
	}
	changed_take_pipe(scan->check, directory, name, walk->path);
	if (type == DT_LNK)
		links_look(scan->check, directory, name, walk->path);
	if (walk->depth > 0)
		changed_tell_deeper(scan->check, directory, name, walk->path);
}

static bool is_other_tree(struct git_walk *walk)
{
	return tree_is(((struct scan *)walk->owner)->check->plan, walk->path);
}

// Checks listed repositories that the search missed and the box could write.
static void meet_listed(struct scan *scan, struct git_walk *walk, int root)
{
	struct stat status;
	repos_sort(&scan->now);
	struct repos met = scan->now;
	walk->moved = walk->others = false;
	for (unsigned i = 0; i < scan->old.count; i++) {
		const char *inside = scan->old.rows[i].path, *name = path_name(inside);
		bool bare = !str_equal(name, ".git");
		if (repos_find(&met, inside) ||
		    !str_put(walk->path, sizeof(walk->path), "%s/%s", scan->tree->path, inside) ||
		    is_mounted(scan->check->plan, walk->path, bare ? "." : name))
			continue;
		char above[PATH_MAX];
		str_put(above, sizeof(above), "%.*s",
			(int)(bare ? strlen(inside) : (size_t)(name - inside)), inside);
		autoclose int fd = sys_openat2(root, above[0] ? above : ".",
					       O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC,
					       RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
		if (fd >= 0 && fstatat(fd, bare ? "HEAD" : name, &status, AT_SYMLINK_NOFOLLOW) == 0)
			meet(walk, fd, bare ? "." : name);
	}
}

// Keeps listed repositories that the search missed and that still exist.
static void keep_rest(struct scan *scan, int root)
{
	struct repos met = scan->now;
	repos_sort(&met);
	for (unsigned i = 0; i < scan->old.count; i++)
		if (!repos_find(&met, scan->old.rows[i].path) &&
		    (faccessat(root, scan->old.rows[i].path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
		     errno == EACCES))
			repos_keep(&scan->now, &scan->old.rows[i]);
	repos_sort(&scan->now);
}

static void note_time(const struct scan *scan)
{
	const struct timespec ended = times_of(scan->check->ended), times[] = { ended, ended };
	if (!scan->run->due_failed)
		utimensat(AT_FDCWD, scan->tree->list, times, AT_SYMLINK_NOFOLLOW);
}

static const char *name_of(const struct plan *plan, const char *path)
{
	return plan->project && str_equal(path, plan->project) ? "the project"
							       : finding_path(plan, path);
}

static void tell_part(const struct scan *scan, const struct git_walk *walk)
{
	const char *why = walk->cut ? "its files have another clock" : "the time for it ended";
	if (walk->cut || walk->unseen)
		findings_add(scan->check->found, FINDING_SEARCHED_PART,
			     name_of(scan->check->plan, scan->tree->path), why, "");
}

static void end_tree(struct scan *scan, const struct git_walk *walk, int root)
{
	struct check *check = scan->check;
	const char *name = name_of(check->plan, scan->tree->path);
	keep_rest(scan, root);
	if (!scan->run->due_failed && repos_differs(&scan->old, &scan->now))
		repos_end(&scan->now, &scan->old, scan->tree->list);
	if (!walk->cut)
		note_time(scan);
	tell_part(scan, walk);
	if (walk->lost)
		findings_add(check->found, FINDING_TOO_DEEP, name_of(check->plan, walk->lost), "",
			     "");
	if (scan->now.full)
		findings_add(check->found, FINDING_TOO_MANY, name, "", "");
}

static bool read_list(struct scan *scan, const struct tree *tree, struct arena *arena)
{
	struct check *check = scan->check;
	struct stat status;
	scan->tree = tree;
	scan->now = (struct repos){ .arena = arena, .root = tree->path };
	if (stat(tree->path, &status) == 0)
		scan->now.device = status.st_dev;
	if (repos_read(arena, tree->list, tree->path, &scan->old) < 0) {
		// A newer sbx wrote the list, and does its own check.
		findings_add(check->found, FINDING_NOT_COMPARED, "", err_taken(), "");
		return false;
	}
	return true;
}

// Directories outside git's index get a tenth of the run's time, at least 15 ms; installed packages
// another.
static struct git_walk sweep_of(struct scan *scan, struct arena *arena)
{
	enum { LEAST = 15000000, NANOSECONDS_OF_TENTH = 100000 };
	const struct check *check = scan->check;
	const int64_t tenth = (steady_now() - scan->run->acts) * NANOSECONDS_OF_TENTH;
	return (struct git_walk){
		.arena = arena,
		.rest = testing_look(tenth > LEAST ? tenth : LEAST),
		.rest_installed = testing_look(tenth),
		.entry = look_at_entry,
		.repository = meet,
		.passes = is_other_tree,
		.owner = scan,
		.processor = check->timeless && check->plan->profile->check != CHECK_ALL
				     ? testing_look(LOOK_NANOSECONDS)
				     : 0,
		.share = scan->whole ? NULL : &scan->share,
		.since = scan->since,
		.start = times_from(&check->start),
	};
}

static void begin_tree(struct scan *scan, const struct run *run, const struct tree *tree,
		       struct arena *arena)
{
	struct check *check = scan->check;
	struct stat list;
	scan->tree = tree;
	scan->since = scan->checked = times_from(&check->start);
	if (stat(tree->list, &list) == 0)
		scan->checked = times_from(&list.st_mtim);
	if (scan->checked - TIMES_TICK < scan->since)
		scan->since = scan->checked - TIMES_TICK;
	check->timeless = check->start.tv_sec == 0 || !times_are_ours(tree->path);
	scan->whole = !choose(check, run, tree, arena, &scan->share);
}

bool scan_is_quiet(struct check *check, const struct run *run)
{
	struct scan scan = { .check = check, .run = run };
	bool quiet = true;
	for (unsigned i = 0; i < check->plan->tree_count && quiet; i++) {
		struct arena *arena = arena_new_of(SHARE_BYTES);
		begin_tree(&scan, run, &check->plan->trees[i], arena);
		struct git_walk walk = sweep_of(&scan, arena);
		walk.probes = true;
		quiet = !scan.whole && !check->plan->trees[i].open;
		if (quiet)
			walk_tree(&walk, check->plan->trees[i].path);
		quiet = quiet && !walk.cut;
		if (quiet) {
			note_time(&scan);
			tell_part(&scan, &walk);
		}
		arena_free(arena);
	}
	return quiet;
}

static void scan_tree(struct scan *scan, const struct run *run, const struct tree *tree)
{
	struct arena *arena = arena_new_of(LIST_BYTES + SHARE_BYTES);
	begin_tree(scan, run, tree, arena);
	if (read_list(scan, tree, arena)) {
		struct git_walk walk = sweep_of(scan, arena);
		walk_tree(&walk, tree->path);
		autoclose int root = open(tree->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		meet_listed(scan, &walk, root);
		end_tree(scan, &walk, root);
	}
	arena_free(arena);
}

void scan_trees(struct check *check, const struct run *run)
{
	FORGIVING;
	static struct scan scan;
	scan = (struct scan){ .check = check, .run = run };
	for (unsigned i = 0; i < check->plan->tree_count; i++)
		scan_tree(&scan, run, &check->plan->trees[i]);
}
