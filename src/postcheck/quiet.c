// Owns the question whether a tree is as an earlier look saw it, so that nothing in it is read.
#include "postcheck/quiet.h"

#include <time.h>

#include "base/arena.h"
#include "base/times.h"
#include "plan.h"
#include "postcheck/finding/finding.h"
#include "postcheck/run_journal.h"
#include "trees/dirs.h"
#include "trees/git_list.h"
#include "trees/still.h"

enum { NANOSECONDS = 1000000000 };
// Where so many other boxes live the processors have other work.
enum { CROWD = 3 };

int64_t quiet_start(const struct check *check)
{
	return check->start.tv_sec * (int64_t)NANOSECONDS + check->start.tv_nsec;
}

int64_t quiet_since(const struct check *check, const struct spans *spans)
{
	int64_t start = quiet_start(check);
	return spans->earliest < start ? spans->earliest : start;
}

static bool is_quiet(const struct check *check, const struct searched *tree,
		     const struct spans *spans)
{
	struct dirs seen;
	char boot[LISTED_BOOT];
	struct arena *arena = arena_new_own(DIRS_BYTES_MAX + (1 << 16));
	unsigned helpers = spans->count < CROWD ? STILL_HELPERS_MAX : 0;
	listed_boot(boot);
	bool quiet = check->start.tv_sec != 0 && dirs_read(arena, tree->directories, boot, &seen) &&
		     still_all(&seen, tree->path, quiet_since(check, spans), helpers);
	arena_free(arena);
	return quiet;
}

static int64_t processor_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); // a busy machine counts for nothing
	return now.tv_sec * (int64_t)NANOSECONDS + now.tv_nsec;
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
		int64_t begin = times_now(), used = processor_now();
		quiet = is_quiet(check, &check->plan->searched[i], &turn.spans);
		if (quiet)
			journal_end(run, i, &turn, SEARCHED_ALL, begin, processor_now() - used);
		else
			journal_release(run, i);
	}
	return quiet;
}
