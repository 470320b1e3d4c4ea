// Owns the plan as the killed run had it: what did not stand there then counts as absent, and is
// looked for as at that run's end. In a process apart.
#include "run/supervise.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/out.h"
#include "base/times.h"
#include "plan.h"
#include "postcheck/check.h"
#include "postcheck/run_journal.h"
#include "report/findings.h"
#include "run.h"

struct due_look {
	const struct plan *plan;
	const struct run *run;
	const struct due *due;
	int (*view)(struct plan *plan, char *const *environment);
	struct findings found;
};

// The plan of a run that could write in the project, whatever this one is for.
static void plan_again(const struct due_look *look, struct plan *plan, struct profile *profile,
		       struct run *run)
{
	struct list none = { 0 };
	*plan = *look->plan;
	*profile = *plan->profile;
	run_init(run, look->run->arguments, look->run->environment);
	run->began = look->run->began;
	profile->project = PROJECT_WRITE;
	profile->scratch = profile->tmpfs = profile->hide = none;
	plan->profile = profile;
	plan->session = NULL;
	plan->unprotected = false;
	plan->notes = plan->warnings = none;
}

static void look(void *argument)
{
	struct due_look *look = argument;
	struct run run;
	struct plan plan;
	struct profile profile;
	plan_again(look, &plan, &profile, &run);
	plan.due = look->due->names;
	if (look->view(&plan, look->run->environment) < 0 || plan.searched_count == 0)
		_exit(1);
	plan.start = times_of(look->due->from);
	plan.package = 0; // what it was before is not known
	check_host(&plan, &run, &look->found);
}

// Prints the findings. False when the check did not come to its end.
static bool run_apart(struct due_look *all)
{
	struct out out = { 0 };
	bool done = apart_run(NULL, all->run, look, all, &all->found);
	if (!done)
		findings_add(&all->found, FINDING_LEFT_UNCHECKED, "", "", "");
	else if (findings_count(&all->found) > 0)
		findings_add(&all->found, FINDING_KILLED_RUN, "", "", "");
	findings_text(&all->found, READER_PERSON, &out);
	out_flush(&out, STDERR_FILENO);
	findings_free(&all->found);
	return done;
}

void due_check(const struct plan *plan, const struct run *run,
	       int (*view)(struct plan *plan, char *const *environment))
{
	struct due due;
	struct due_look all = { .plan = plan, .run = run, .due = &due, .view = view };
	if (!plan->toplevel || !journal_due(plan->arena, plan->state, plan->toplevel, &due))
		return;
	arena_pass_on(plan->scratch);
	journal_done(&due, run_apart(&all));
}
