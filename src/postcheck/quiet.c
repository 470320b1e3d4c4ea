// Owns the question which part of a tree is checked, and whether it is as an earlier check saw it.
#include "postcheck/quiet.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/file_state.h"
#include "base/path.h"
#include "base/steady.h"
#include "base/str.h"
#include "plan.h"
#include "postcheck/finding/finding.h"
#include "postcheck/run_journal.h"
#include "trees/dirs.h"
#include "trees/git_list.h"
#include "trees/share.h"
#include "trees/still.h"

enum { NANOSECONDS = 1000000000 };
// Where so many other boxes run the processors have other work.
enum { CROWD = 3 };
// A run that is so many times as long as the last check of the whole tree can pay for one.
enum { LONG_RUN = 20 };

int64_t quiet_start(const struct check *check)
{
	return check->start.tv_sec * (int64_t)NANOSECONDS + check->start.tv_nsec;
}

int64_t quiet_since(const struct check *check, const struct journal_turn *turn, bool whole)
{
	int64_t since = quiet_start(check);
	since = turn->spans.earliest < since ? turn->spans.earliest : since;
	return whole && turn->owed < since ? turn->owed : since;
}

const char *quiet_directory(const struct plan *plan, const struct searched *tree)
{
	size_t length = strlen(tree->path);
	if (!plan->directory || !path_within(plan->directory, tree->path))
		return "";
	return plan->directory[length] ? plan->directory + length + 1 : "";
}

bool quiet_share(const struct plan *plan, const struct searched *tree, struct arena *arena,
		 struct share *ret_share)
{
	*ret_share = (struct share){ 0 };
	if (!plan->project || !str_equal(tree->path, plan->project) ||
	    !share_read(arena, plan->index, ret_share))
		return false;
	ret_share->directory = quiet_directory(plan, tree);
	return true;
}

void quiet_write_share(const struct share *share, const struct dirs *whole,
		       const struct searched *tree)
{
	struct share all = *share;
	struct dirs part, old;
	char boot[LISTED_BOOT];
	struct arena *arena = arena_new_own(SHARE_ARENA);
	listed_boot(boot);
	if (dirs_read(arena, tree->share, boot, &old))
		share_add_listed(arena, &all, &old);
	share_of_whole(&all, whole, &part);
	dirs_write(&part, tree->share, boot);
	dirs_free(&part);
	arena_free(arena);
}

bool quiet_is_whole(const struct check *check, const struct searched *tree,
		    const struct journal_turn *turn, struct arena *arena, struct dirs *ret_share)
{
	const struct plan *plan = check->plan;
	char boot[LISTED_BOOT];
	if (plan->profile->check == CHECK_ALL || plan->given || plan->due || check->all ||
	    check->start.tv_sec == 0 || turn->took == 0 || plan->indexed.inode == 0 ||
	    turn->begin - quiet_start(check) >= LONG_RUN * turn->took)
		return true;
	listed_boot(boot);
	return !dirs_read(arena, tree->share, boot, ret_share) ||
	       !file_state_equal(&ret_share->index, &plan->indexed);
}

static bool is_index_same(const struct plan *plan)
{
	struct stat status;
	if (stat(plan->index, &status) < 0)
		return false;
	struct file_state now = file_state(&status);
	return file_state_equal(&now, &plan->indexed);
}

// The whole tree did not change, but the share was chosen by another index.
static void renew_share(const struct check *check, const struct searched *tree,
			const struct dirs *whole)
{
	struct share share;
	struct dirs old;
	char boot[LISTED_BOOT];
	struct arena *arena = arena_new_own(SHARE_ARENA);
	listed_boot(boot);
	bool same = check->plan->indexed.inode != 0 && is_index_same(check->plan) &&
		    dirs_read(arena, tree->share, boot, &old) &&
		    file_state_equal(&old.index, &check->plan->indexed) &&
		    share_lists(&old, quiet_directory(check->plan, tree));
	if (!same && quiet_share(check->plan, tree, arena, &share))
		quiet_write_share(&share, whole, tree);
	arena_free(arena);
}

static bool end_quiet(const struct check *check, const struct run *run, unsigned tree,
		      const struct journal_turn *turn)
{
	const struct searched *searched = &check->plan->searched[tree];
	struct dirs seen;
	char boot[LISTED_BOOT];
	struct arena *arena = arena_new_own(DIRS_BYTES_MAX + (1 << 16));
	unsigned helpers = turn->spans.count < CROWD ? STILL_HELPERS_MAX : 0;
	int64_t used = processor_now();
	bool whole = quiet_is_whole(check, searched, turn, arena, &seen);
	listed_boot(boot);
	bool quiet = check->start.tv_sec != 0 &&
		     (whole ? dirs_read(arena, searched->directories, boot, &seen) && seen.whole
			    : is_index_same(check->plan) &&
				      share_lists(&seen, quiet_directory(check->plan, searched))) &&
		     still_all(&seen, searched->path, quiet_since(check, turn, whole), helpers);
	if (quiet && whole)
		renew_share(check, searched, &seen);
	if (quiet)
		journal_end(run, tree, turn, seen.whole ? turn->begin : 0,
			    whole ? processor_now() - used : 0);
	arena_free(arena);
	return quiet;
}

bool quiet_trees(struct check *check, const struct run *run)
{
	bool quiet = true;
	struct journal_turn turn;
	for (unsigned i = 0; i < check->plan->searched_count && quiet; i++) {
		bool ours = journal_turn(run, i, &turn);
		check->beside = check->beside || turn.spans.beside;
		if (!ours)
			continue;
		quiet = end_quiet(check, run, i, &turn);
		if (!quiet)
			journal_release(run, i);
	}
	return quiet;
}
