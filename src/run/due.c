// Owns the plan as the killed run had it: what did not stand there then counts as absent, and is
// looked for as at that run's end. In a process apart.
#include "run/due.h"

#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/out.h"
#include "plan.h"
#include "postcheck/apart.h"
#include "postcheck/check.h"
#include "postcheck/run_journal.h"
#include "report/finding_words.h"
#include "report/findings.h"
#include "run.h"
#include "run/run_init.h"

enum { NANOSECONDS = 1000000000 };

struct due_look {
	const struct plan *plan;
	const struct run *run;
	const struct due *due;
	int (*view)(struct plan *plan, char *const *environment);
	struct findings found;
};

static void look(void *argument)
{
	struct due_look *look = argument;
	struct run run;
	struct plan plan = *look->plan;
	struct profile profile = *plan.profile;
	struct list none = { 0 };
	run_init(&run, look->run->arguments, look->run->environment);
	// Whatever this run is for: that one could write in the project.
	profile.project = PROJECT_WRITE;
	profile.scratch = profile.tmpfs = profile.hide = none;
	plan.profile = &profile;
	plan.due = look->due->names;
	plan.session = NULL;
	plan.unprotected = false;
	plan.notes = plan.warnings = none;
	if (look->view(&plan, look->run->environment) < 0 || plan.searched_count == 0)
		_exit(1);
	plan.start =
		(struct timespec){ look->due->from / NANOSECONDS, look->due->from % NANOSECONDS };
	check_host(&plan, &run, COMMAND_FAILED, &look->found);
}

void due_check(const struct plan *plan, const struct run *run,
	       int (*view)(struct plan *plan, char *const *environment))
{
	struct due due;
	struct due_look all = { .plan = plan, .run = run, .due = &due, .view = view };
	struct out out = { 0 };
	if (!plan->toplevel || !journal_due(plan->arena, plan->state, plan->toplevel, &due))
		return;
	arena_pass_on(plan->scratch);
	bool done = apart_run(look, &all, &all.found);
	if (!done)
		findings_add(&all.found, FINDING_LEFT_UNCHECKED, "", "", "");
	else if (findings_count(&all.found) > 0)
		findings_add(&all.found, FINDING_KILLED_RUN, "", "", "");
	findings_text(&all.found, READER_PERSON, &out);
	out_flush(&out, STDERR_FILENO);
	findings_free(&all.found);
	if (done)
		journal_done(&due);
	else
		fd_close(&due.fd);
}
