// Owns the open question, and the way of its answer.
#include "ask/ask.h"

#include <stdio.h>

#include "base/base.h"
#include "net/host/proxy.h"
#include "net/host/questions.h"
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
		    : invocation->ask == ANSWER_YES ? ASK_TERMINAL
						    : ASK_NOBODY;
	if (plan->ask == ASK_NOBODY)
		return 0;
	plan->executes = plan->executes || plan->ask_program;
	if (plan->ask_program && invocation->ask == ANSWER_YES)
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
	if (!ask->question)
		return terminal_wait(&ask->terminal, milliseconds);
	return times_left(ask->question->since + QUESTION_MILLISECONDS, milliseconds);
}

void ask_leave(struct run *run)
{
	run->ask->terminal.over = true;
	terminal_leave(run);
}

static int conclude(const struct plan *plan, struct run *run, enum ask_end end,
		    enum answered answer)
{
	struct ask *ask = run->ask;
	struct host_question *question = ask->question;
	ask_child_end(&ask->child);
	ask->question = NULL;
	ask->failures[end] += end != ASK_ANSWERED;
	answer = end == ASK_ANSWERED ? answer : ANSWERED_NO;
	return ask_give(plan, run->proxy, question, answer,
			end == ASK_ANSWERED ? HOLD_REFUSED : HOLD_UNANSWERED, &ask->unkept);
}

static int begin(const struct plan *plan, struct run *run, struct host_question *question)
{
	struct ask *ask = run->ask;
	ask->question = question;
	if (steady_now() >= question->since + QUESTION_MILLISECONDS) // others took the time
		return conclude(plan, run, ASK_SILENT, ANSWERED_NO);
	if (ask_child_start(plan, run, &ask->program, question, &ask->child) == 0)
		return 0;
	return conclude(plan, run, ASK_NOT_STARTED, ANSWERED_NO);
}

int ask_turn(const struct plan *plan, struct run *run)
{
	struct ask *ask = run->ask;
	enum answered answer = ANSWERED_NO;
	enum ask_end end = ASK_PENDING;
	if (plan->ask != ASK_PROGRAM)
		return plan->ask == ASK_TERMINAL ? terminal_turn(plan, run) : 0;
	if (ask->question) {
		end = ask_child_read(&ask->child, &answer);
		if (end == ASK_PENDING &&
		    steady_now() >= ask->question->since + QUESTION_MILLISECONDS)
			end = ASK_SILENT;
		if (end == ASK_PENDING)
			return 0;
		TRY(conclude(plan, run, end, answer));
	}
	while (!ask->question) {
		struct host_question *next = questions_next(run->proxy);
		if (!next)
			return 0;
		TRY(begin(plan, run, next));
	}
	return 0;
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
