// Owns the check after a killed run, in a separate process, and the initial state of a run.
#include "run/steps.h"

#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "boxes/record.h"
#include "plan.h"
#include "postcheck/postcheck.h"
#include "postcheck/acts/check.h"
#include "report/findings.h"
#include "run.h"

void run_init(struct run *run, char *const *arguments, char *const *environment)
{
	*run = (struct run){ 0 };
	memset(run, 0xff, offsetof(struct run, init));
	run->arguments = arguments;
	run->environment = environment;
}

struct due_look {
	const struct plan *plan;
	const struct run *run;
	const struct due *due;
	struct findings found;
};

static void plan_from_entry(const struct due_look *look, struct plan *plan)
{
	const struct plan *then = &look->due->plan;
	static const struct tree nothing;
	struct list none = { 0 };
	*plan = *look->plan;
	plan->project = plan->toplevel;
	plan->due = true;
	plan->start = then->start;
	clock_gettime(CLOCK_MONOTONIC,
		      &plan->start_steady); // the wall clock may have been set meanwhile
	plan->mounts = then->mounts;
	plan->mount_count = then->mount_count;
	plan->places = then->places;
	plan->place_count = then->place_count;
	plan->index = then->index;
	plan->repository = then->repository;
	plan->session = NULL;
	plan->notes = plan->warnings = none;
	plan->trees = arena_take(plan->arena, sizeof(*plan->trees));
	*plan->trees = nothing;
	plan->trees->path = plan->toplevel;
	plan->trees->list = path_kept(plan->arena, plan->state, "known", plan->toplevel);
	plan->trees->runs = path_kept(plan->arena, plan->state, "trees", plan->toplevel);
	plan->tree_count = 1;
}

static void put_moved(void *context, const char *id, const char *path)
{
	struct due_look *look = context;
	if (!path_within(path, look->plan->toplevel))
		return;
	for (unsigned i = 0; i < look->due->count; i++)
		if (record_moved(look->due->files[i], id))
			findings_add(&look->found, FINDING_MOVED, path,
				     "appeared, and your own programs would run or trust it", id);
}

static void look(void *argument)
{
	struct due_look *look = argument;
	struct run run;
	struct plan plan;
	for (unsigned i = 0; i < look->due->count; i++)
		close(look->due->fds[i]); // only the parent keeps the locks
	plan_from_entry(look, &plan);
	run_init(&run, look->run->arguments, look->run->environment);
	run.began = run.acts = look->run->began;
	(void)ATTEMPT(quarantine_list(plan.state, put_moved, look));
	check_host(&plan, &run, &look->found);
}

static bool run_apart(struct due_look *all)
{
	struct out out = { 0 };
	bool done = apart_run(NULL, all->run, check_patience(all->plan, true), look, all,
			      &all->found) &&
		    all->found.counts[FINDING_CHECK_CUT] == 0;
	if (!done)
		findings_add(&all->found, FINDING_LEFT_UNCHECKED, "", "", "");
	else if (findings_count(&all->found) > 0)
		findings_add(&all->found, FINDING_KILLED_RUN, "", "", "");
	findings_text(&all->found, READER_PERSON, &out);
	out_flush(&out, STDERR_FILENO);
	findings_free(&all->found);
	return done;
}

void due_check(const struct plan *plan, struct run *run)
{
	struct due due;
	struct plan own = *plan;
	struct due_look all = { .plan = &own, .run = run, .due = &due };
	if (!plan->toplevel || run->due_failed)
		return;
	own.arena = arena_new(); // a plan's arena is sealed once its command has begun
	if (journal_due(own.arena, plan->state, plan->toplevel, &due)) {
		run->due_failed = !run_apart(&all);
		journal_done(&due, !run->due_failed);
	}
	arena_free(own.arena);
}
