// Owns the plan as the killed run had it, and the first state of a run. A name that was absent then
// counts as absent, and is searched for as at that run's end, in a process apart.
#include "run/steps.h"

#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "plan.h"
#include "postcheck/check.h"
#include "postcheck/finding/finding.h"
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

// What a killed run moved away while it ran: DATE-TIME-PID-NUMBER is the ID, and the PID ends the
// name of the run's file.
static void put_moved(void *context, const char *id, const char *path)
{
	enum { STAMP = 15 };
	struct due_look *look = context;
	const time_t from = times_of(look->due->from).tv_sec;
	struct tm date;
	char stamp[STAMP + 1], pid[32];
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", gmtime_r(&from, &date));
	if (!path_within(path, look->plan->toplevel) || strcmp(id, stamp) < 0)
		return;
	for (unsigned i = 0; i < look->due->count; i++) {
		const char *end = strrchr(look->due->files[i], '-');
		str_put(pid, sizeof(pid), "%.*s-", (int)strcspn(end, "."), end);
		if (strlen(id) > STAMP && str_starts(id + STAMP, pid))
			findings_add(&look->found, FINDING_MOVED, path,
				     "appeared, and your own programs would run or trust it", id);
	}
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
	(void)ATTEMPT(quarantine_list(plan.state, put_moved, look));
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
	journal_done(&due, run_apart(&all) ? DUE_CHECKED : DUE_CUT);
}
