// Owns the walk over run/steps.c. The command is never executed after a failed step.
#include "run/steps.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/testing.h"
#include "plan.h"
#include "run.h"
#include "run/supervise.h"

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

bool walk_has_step(const struct plan *plan, const struct step *step)
{
	enum tiers own = plan->tier == TIER_FULL ? FULL : LANDLOCK;
	return step->tiers == BOTH || step->tiers == own;
}

static int take_step(struct plan *plan, struct run *run, int index)
{
	const struct step *step = &steps[index];
	if (!walk_has_step(plan, step) || testing_skips(step->name))
		return 0;
	uint64_t before = now();
	run->message.step = index;
	int result = testing_fails(step->name) ? fail(0, "made to fail by a test")
		     : step->make              ? step->make(plan, run)
					       : step->go(plan, run);
	run->message.nanoseconds[index] = (uint32_t)(now() - before);
	return result;
}

// The text goes on in the message, which is reported or given up with the try.
static void note_failure(struct run *run)
{
	run->message.kind = MESSAGE_FAILED;
	run->message.number = err_number();
	snprintf(run->message.text, sizeof(run->message.text), "%s", err_taken());
}

static _Noreturn void walk_box(struct plan *plan, struct run *run)
{
	for (int i = 0; i < step_count; i++)
		if (steps[i].side == SIDE_BOX && take_step(plan, run, i) < 0)
			break;
	note_failure(run);
	fd_send(run->to_host, &run->message, sizeof(run->message), NULL, 0);
	_exit(125);
}

int walk_host(struct plan *plan, struct run *run)
{
	for (int i = 0; i < step_count; i++) {
		if (steps[i].side != SIDE_HOST)
			continue;
		int result = take_step(plan, run, i);
		if (result > 0) // the clone: from here on we are the box
			walk_box(plan, run);
		if (result < 0) {
			note_failure(run);
			walk_undo(plan, run);
			return -1;
		}
	}
	memcpy(run->host_nanoseconds, run->message.nanoseconds, sizeof(run->host_nanoseconds));
	return 0;
}

void walk_undo(const struct plan *plan, struct run *run)
{
	for (int i = step_count; i-- > 0;)
		if (steps[i].undo && walk_has_step(plan, &steps[i]))
			steps[i].undo(plan, run);
}

void report_timing(const struct plan *plan, const struct run *run)
{
	struct out out = { 0 };
	double sum = 0;
	for (int i = 0; i < step_count; i++) {
		if (!walk_has_step(plan, &steps[i]))
			continue;
		double microseconds = run->host_nanoseconds[i] / 1e3;
		sum += microseconds;
		out_text(&out, "sbx: %-4s %-12s %8.1f us\n",
			 steps[i].side == SIDE_HOST ? "host" : "box", steps[i].name, microseconds);
	}
	out_text(&out, "sbx: all  steps        %8.1f us\n", sum);
	out_flush(&out, STDERR_FILENO);
}
