// Owns the plan as the killed run had it: what did not stand there then counts as absent, and is
// looked for as at that run's end. In a process apart.
#include "run/due.h"

#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/out.h"
#include "guard/apart.h"
#include "guard/check.h"
#include "guard/journal.h"
#include "plan.h"
#include "run.h"

enum { NANOSECONDS = 1000000000 };

struct look {
	const struct plan *plan;
	const struct run *run;
	const struct due *due;
	int (*view)(struct plan *plan, char *const *environment);
	struct out told, changed;
};

static void look(void *argument)
{
	struct look *look = argument;
	struct run run = { .copies = -1, .user = -1, .view = -1 };
	struct plan plan = *look->plan;
	struct profile profile = *plan.profile;
	struct list none = { 0 };
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
	check_host(&plan, &run, COMMAND_FAILED, &look->told, &look->changed);
}

void due_check(const struct plan *plan, const struct run *run,
	       int (*view)(struct plan *plan, char *const *environment))
{
	struct due due;
	struct look all = { .plan = plan, .run = run, .due = &due, .view = view };
	struct out *texts[] = { &all.told, &all.changed };
	if (!plan->toplevel || !journal_due(plan->arena, plan->state, plan->toplevel, &due))
		return;
	arena_pass_on(plan->scratch);
	bool done = apart_run(look, &all, texts, 2);
	if (all.changed.used > 0)
		out_text(&all.told, "sbx: changed, and your own programs will run it: %s\n",
			 all.changed.text);
	if (!done)
		out_text(&all.told, "sbx: what a killed run left in this project could not be "
				    "checked: look yourself, with: git status\n");
	else if (all.told.used > 0)
		out_text(&all.told,
			 "sbx: a run in this project was killed: that is what it left\n");
	out_flush(&all.told, STDERR_FILENO);
	out_free(&all.told);
	out_free(&all.changed);
	if (done)
		journal_done(&due);
	else
		fd_close(&due.fd);
}
