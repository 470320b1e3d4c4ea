// Owns the turns and the end of questions.
#include "ask/ask.h"

#include <stdio.h>

#include "base/base.h"
#include "net/host/proxy.h"
#include "net/host/destinations.h"
#include "plan.h"
#include "policy/find.h"
#include "report/findings.h"
#include "run.h"

void ask_init(struct ask *ask)
{
	*ask = (struct ask){ .program = { .program = -1, .script = -1 },
			     .child = { .pidfd = -1, .answer = -1 } };
}

int ask_plan(struct plan *plan, struct profile *profile, const struct invocation *invocation)
{
	plan->ask_program = invocation->ask_program;
	plan->ask = plan->ask_program               ? ASK_PROGRAM
		    : invocation->ask == TOGGLE_YES ? ASK_TERMINAL
						    : ASK_NOBODY;
	if (plan->ask == ASK_NOBODY)
		return 0;
	plan->executes = plan->executes || plan->ask_program;
	if (plan->ask_program && invocation->ask == TOGGLE_YES)
		return fail(0, "--ask and --ask-program cannot be given together");
	if (!plan->egress.on)
		return fail(0, "%s: nothing is asked for where the network is not 'proxy'",
			    plan->ask_program ? "--ask-program" : "--ask");
	if (plan->ask == ASK_TERMINAL)
		TRY(terminal_plan(plan));
	return plan->toplevel ? answers_merge(plan->arena, plan->state, plan->toplevel, profile)
			      : 0;
}

int ask_host(const struct plan *plan, struct run *run)
{
	return plan->ask == ASK_PROGRAM ? ask_place(plan, plan->ask_program, &run->ask->program)
					: 0;
}

int ask_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	ask_place_end(&run->ask->program);
	return 0;
}

int ask_waiting(const struct run *run)
{
	return run->ask->child.answer;
}

int ask_wait(const struct ask *ask, int milliseconds)
{
	return times_left(ask->count ? ask_deadline(ask) : ask->terminal.again, milliseconds);
}

void ask_leave(struct run *run)
{
	run->ask->terminal.over = true;
	terminal_leave(run);
}

static enum ask_end begin(const struct plan *plan, struct run *run)
{
	struct ask *ask = run->ask;
	if (steady_now() >= ask_deadline(ask)) // earlier questions took the time
		return ASK_SILENT;
	return ask_child_start(plan, run, &ask->program, ask->asked[0], &ask->child) < 0
		       ? ASK_NOT_STARTED
		       : ASK_PENDING;
}

int ask_turn(const struct plan *plan, struct run *run)
{
	struct ask *ask = run->ask;
	enum reply answer = REPLY_NO;
	if (plan->ask != ASK_PROGRAM)
		return plan->ask == ASK_TERMINAL ? terminal_turn(plan, run) : 0;
	for (;;) {
		bool begun = ask->count > 0;
		if (!begun && (ask->count = questions_list(run->proxy, ask->asked, 1)) == 0)
			return 0;
		enum ask_end end = begun ? ask_read(ask, &answer) : begin(plan, run);
		if (end == ASK_PENDING)
			return 0;
		TRY(ask_conclude(plan, run, end, answer));
	}
}

void ask_end(struct ask *ask, struct findings *found)
{
	static const char *const words[ASK_ENDS] = {
		[ASK_NOT_STARTED] = "could not be started",
		[ASK_SILENT] = "gave no answer in time",
		[ASK_DIED] = "ended without an answer",
		[ASK_MALFORMED] = "gave an answer that is none",
		[ASK_UNOFFERED] = "gave an answer that was not offered",
	};
	ask_child_end(&ask->child);
	for (int i = 0; i < ASK_ENDS; i++) {
		char detail[64], times[32] = "";
		if (!words[i] || !ask->failures[i])
			continue;
		if (ask->failures[i] > 1)
			snprintf(times, sizeof(times), ", %u times", ask->failures[i]);
		snprintf(detail, sizeof(detail), "%s%s", words[i], times);
		findings_add(found, FINDING_NO_ANSWER, "", detail, "");
	}
	if (ask->unkept)
		findings_add(found, FINDING_ANSWER_LOST, "", "", "");
}
