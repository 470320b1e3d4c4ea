// Owns the order of the check after a run. No directory is opened through a link.
#include "postcheck/postcheck.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/gitconfig.h"
#include "plan.h"
#include "postcheck/acts/check.h"
#include "postcheck/git/vet.h"
#include "report/findings.h"
#include "run.h"
#include "trees/trees.h"

// False: the box removed its copy of the configuration.
static bool read_copy(const struct merge *merge, int copies, unsigned number, char *text,
		      size_t *ret_length)
{
	char name[32];
	snprintf(name, sizeof(name), "%u/config", number);
	int read = copies < 0 ? 0
			      : file_read_into(copies, name, FILE_BENEATH, text,
					       GITCONFIG_BYTES_MAX + 1, ret_length);
	if (read < 0 && file_failed("the box's copy", GITCONFIG_BYTES_MAX) < 0)
		findings_add(merge->check->found, FINDING_CONFIG_FAILED, merge->path, err_taken(),
			     "");
	return read > 0;
}

static struct merge merge_of(const struct check *check, const struct copy *copy, int directory)
{
	return (struct merge){ .check = check,
			       .kind = MERGE_HOST,
			       .directory = directory,
			       .name = path_name(copy->path),
			       .path = finding_path(check->plan, copy->path),
			       .mode = copy->mode,
			       .lock = copy->lock,
			       .depth = pointer_depth(check->plan, copy->path),
			       .before = copy->text,
			       .before_length = copy->length,
			       .after = "" };
}

// Whether the file is open for writing, or has another hard link.
static bool is_open(int fd, const struct stat *status)
{
	bool free = fcntl(fd, F_SETLEASE, F_RDLCK) == 0 || errno != EAGAIN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return !free || status->st_nlink > 1;
}

bool copy_look(struct check *check, const struct copy *copy)
{
	struct stat status;
	autoclose int directory = places_above(copy->path);
	struct merge merge = merge_of(check, copy, directory);
	autoclose int fd = directory < 0 ? -1 : file_open(directory, merge.name, 0, &status);
	if (directory < 0 || (fd < 0 && errno == ENOENT))
		return false;
	if (fd < 0)
		finding_take(check, directory, merge.name, copy->path, "is not a file any more");
	merge.fresh = fd < 0 || is_open(fd, &status);
	int written = merge_config(&merge);
	if (copy->lock >= 0) // merge_config() may have locked it exclusively
		flock(copy->lock, LOCK_SH | LOCK_NB);
	return written != 0;
}

static void check_copy(struct check *check, const struct run *run, unsigned number)
{
	static char text[GITCONFIG_BYTES_MAX + 1];
	const struct copy *copy = &check->plan->copies[number];
	struct stat status;
	autoclose int directory = places_above(copy->path);
	struct merge merge = merge_of(check, copy, directory);
	if (directory < 0) {
		findings_add(check->found, FINDING_UNREADABLE_FILE, merge.path, strerror(errno),
			     "");
		return;
	}
	// If the host replaced the file, the box could write to the new one.
	if (fstatat(directory, merge.name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (status.st_ino != copy->identity.inode ||
	     finding_is_made(check, directory, merge.name)))
		copy_look(check, copy);
	merge.kind = MERGE_CHANGES;
	merge.after = text;
	if (read_copy(&merge, run->copies, number, text, &merge.after_length) &&
	    (merge.after_length != copy->length || memcmp(text, copy->text, copy->length) != 0))
		merge_config(&merge);
}

void check_replaced(const struct check *check, const struct mount *mount)
{
	const char *name = finding_path(check->plan, mount->target);
	if (!findings_has(check->found, FINDING_REPLACED, name))
		findings_add(check->found, FINDING_REPLACED, name, "", "");
}

// Reports files that the host replaced under a mount: the box could write the new ones.
static void check_walls(struct check *check)
{
	const struct plan *plan = check->plan;
	struct stat status;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (!watch_is_wall(mount) || mount->kind != MOUNT_BIND)
			continue;
		if (lstat(mount->target, &status) < 0 || (status.st_ino == mount->identity.inode &&
							  status.st_dev == mount->identity.device))
			continue;
		check_replaced(check, mount);
	}
}

struct check_look {
	struct check check;
	const struct run *run;
	bool quiet;
};

static void look_at_all(void *argument)
{
	FORGIVING;
	struct check_look *look = argument;
	struct check *check = &look->check;
	unsigned before = findings_count(check->found);
	autoclose int repository = // git directory with the index
		check->plan->repository ? places_above(check->plan->index) : -1;
	if (check->plan->repository)
		bare_tell_broken(check, repository, check->found);
	if (check->plan->indexed.inode && faccessat(AT_FDCWD, check->plan->index, F_OK, 0) < 0 &&
	    errno == ENOENT)
		findings_add(check->found, FINDING_INDEX_GONE,
			     finding_path(check->plan, check->plan->index), "", "");
	for (unsigned i = 0; i < check->plan->copy_count; i++)
		check_copy(check, look->run, i);
	if (!check->plan->due) // a killed run's record has only paths
		check_walls(check);
	places_look(check);
	if (!look->quiet)
		scan_trees(check, look->run);
	changed_end(check);
	if (findings_count(check->found) > before && journal_beside(check->plan, look->run))
		findings_add(check->found, FINDING_OTHER_BOX, "", "", "");
}

void check_prepare(const struct plan *plan, struct run *run)
{
	run->acts = steady_now();
	scan_prepare(plan, run);
}

void check_host(const struct plan *plan, struct run *run, struct findings *found)
{
	static struct changed_rows rows; // on the stack it would take 13 new pages in each run
	struct check_look look = {
		.check = { .plan = plan,
			   .found = found,
			   .rows = &rows,
			   .budget = ENTRIES_OF_CHECK,
			   .start = clock_start(plan),
			   .ended = clock_over(run->journal_count ? run->journals[0] : -1) },
		.run = run,
	};
	// If anything may have changed, a confined child looks, also in directories closed to this
	// process.
	look.quiet = plan->place_count == 0 || scan_is_quiet(&look.check, run);
	look.check.absent = look.quiet && !plan->due && !places_are_shut(plan);
	bool done = look.check.absent;
	if (done)
		look_at_all(&look);
	else
		done = apart_run(plan, run, check_patience(plan, plan->due), look_at_all, &look,
				 found);
	apart_reap();
	if (done)
		journal_end(plan, run); // else the next run would check this one as killed
	else
		findings_add(found, FINDING_CHECK_CUT, "", "", "");
}

// Whether the words, or the shell text in them, run a git command that writes to the work tree.
static bool writes_tree(char *const *words)
{
	static const char *const commands[] = { "merge",   "pull",     "rebase", "stash",
						"reset",   "checkout", "switch", "restore",
						"revert",  "am",       "apply",  "cherry-pick",
						"worktree" };
	bool git = false, writes = false;
	for (; *words; words++) {
		git = git || str_equal(path_name(*words), "git") || str_has_word(*words, "git", 3);
		for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
			writes = writes || str_has_word(*words, commands[i], strlen(commands[i]));
	}
	return git && writes;
}

void check_refused(const struct plan *plan, struct findings *found)
{
	struct check check = { .plan = plan, .found = found, .start = clock_start(plan) };
	if (plan->project && found->counts[FINDING_TRACKED] == 0 && writes_tree(plan->command))
		index_tell_tracked(&check);
	apart_reap();
}

void check_begin(struct plan *plan, struct run *run)
{
	struct stat index;
	if (plan->index && stat(plan->index, &index) == 0)
		plan->indexed = file_state(&index);
	unshown_begin(plan);
	journal_begin(plan, run);
	clock_pass(plan, run->journal_count ? run->journals[0] : -1);
}
