// Owns the question whether a tree is as an earlier look saw it, so that nothing in it is read.
#include "guard/quiet.h"

#include <time.h>

#include "base/arena.h"
#include "base/times.h"
#include "git/dirs.h"
#include "git/listed.h"
#include "guard/journal.h"
#include "guard/vet.h"
#include "plan.h"

enum { NANOSECONDS = 1000000000 };

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
	struct arena *arena = arena_new_of(DIRS_BYTES_MOST + (1 << 16));
	listed_boot(boot);
	bool quiet = check->start.tv_sec != 0 && dirs_read(arena, tree->directories, boot, &seen) &&
		     dirs_is_quiet(&seen, tree->path, quiet_since(check, spans));
	arena_free(arena);
	return quiet;
}

static int64_t processor_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); // a busy machine counts for nothing
	return now.tv_sec * (int64_t)NANOSECONDS + now.tv_nsec;
}

bool quiet_trees(const struct check *check, const struct run *run)
{
	bool quiet = true;
	struct spans spans;
	for (unsigned i = 0; i < check->plan->searched_count && quiet; i++) {
		if (!journal_turn(run, i, &spans))
			continue;
		int64_t begin = times_now(), used = processor_now();
		quiet = is_quiet(check, &check->plan->searched[i], &spans);
		if (quiet)
			journal_end(run, i, SEARCHED_ALL, begin, processor_now() - used);
		else
			journal_release(run, i);
	}
	return quiet;
}
