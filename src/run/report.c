// Owns the words of a run's end.
#include "run/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/out.h"
#include "base/path.h"
#include "base/shorten.h"
#include "base/str.h"
#include "jail/env.h"
#include "jail/machine.h"
#include "limits/group.h"
#include "plan.h"
#include "run.h"
#include "run/decide.h"
#include "run/denied.h"
#include "run/paths.h"
#include "run/steps.h"
#include "run/summary.h"
#include "run/supervise.h"
#include "run/walk.h"

enum {
	STATUS_TIMEOUT = 124,
	STATUS_FAILED = 125,
	STATUS_NO_EXEC = 126,
	STATUS_NOT_FOUND = 127,
	STATUS_KILLED = 137
};

static void say_failure(const struct run *run, struct out *out)
{
	const char *step = steps[run->message.step].name;
	const char *advice = probe_advice(step, run->message.number);
	// What is wrong with a plan is said as it is: it names the file and line itself.
	if (steps[run->message.step].go == decide_host)
		out_text(out, "sbx: %s\n", run->message.text);
	else
		out_text(out, "sbx: step '%s': %s; the command was not run\n", step,
			 run->message.text);
	if (advice)
		out_text(out, "sbx: %s\n", advice);
}

// Where the caller would have found the program, outside.
static bool find_outside(const struct plan *plan, char *path, size_t size)
{
	const char *name = plan->command[0], *search = env_value(plan, "PATH");
	if (!*name)
		return false;
	if (strchr(name, '/')) {
		snprintf(path, size, "%s", name);
		return access(path, X_OK) == 0;
	}
	for (const char *at = search; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
		snprintf(path, size, "%.*s/%s", (int)strcspn(at, ":"), at, name);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

static int say_no_exec(const struct plan *plan, const struct run *run, struct out *out)
{
	int problem = run->message.number;
	bool absent = problem == ENOENT || problem == ENOTDIR;
	const char *name = str_shown(plan->command[0]);
	char outside[4096], real[4096];
	if (!absent)
		out_text(out, "sbx: cannot run '%s': %s\n", name, strerror(problem));
	else if (!find_outside(plan, outside, sizeof(outside)))
		out_text(out, "sbx: cannot run '%s': not found\n", name);
	else if (!realpath(outside, real))
		out_text(out, "sbx: cannot run '%s': not found in the box\n", name);
	else
		out_text(out,
			 "sbx: cannot run '%s': %s is not in the box, or what it needs is not; add "
			 "--read %.*s\n",
			 name, outside, (int)(path_name(real) - real - 1), real);
	return absent ? STATUS_NOT_FOUND : STATUS_NO_EXEC;
}

// Says what went wrong with the run itself, and returns the status that stands for its end.
static int say_outcome(const struct plan *plan, const struct run *run,
		       const struct outcome *outcome, struct out *out)
{
	bool in_time = outcome->stop == STOP_TIME || outcome->stop == STOP_IDLE;
	switch (outcome->kind) {
	case OUTCOME_FAILED:
		say_failure(run, out);
		return STATUS_FAILED;
	case OUTCOME_NO_EXEC:
		return say_no_exec(plan, run, out);
	case OUTCOME_STOPPED:
		return in_time ? STATUS_TIMEOUT : STATUS_KILLED;
	case OUTCOME_LOST:
		out_text(out, "sbx: the box ended without a word: its first process was killed\n");
		return STATUS_FAILED;
	case OUTCOME_BROKEN:
		out_text(out, "sbx: %s; the run was ended\n", run->message.text);
		return STATUS_FAILED;
	case OUTCOME_ENDED:
		return WIFSIGNALED(outcome->status) ? 128 + WTERMSIG(outcome->status)
						    : WEXITSTATUS(outcome->status);
	}
	return STATUS_FAILED;
}

static void say_changed(const char *names, struct out *out)
{
	enum { NAMES_MOST = 40 };
	unsigned count = 0;
	out_text(out, "sbx: changed, and your own programs will run it: ");
	for (const char *at = names; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (count++ < NAMES_MOST)
			out_text(out, "%s%.*s", count > 1 ? ", " : "", (int)strcspn(at, "\n"), at);
	if (count > NAMES_MOST)
		out_text(out, ", and %u more", count - NAMES_MOST);
	out_text(out, "\n");
}

// A model starts a server in one command and wants it in the next.
static void say_left(const struct run *run, const struct outcome *outcome, struct out *out)
{
	if (outcome->kind == OUTCOME_ENDED && run->message.kind == MESSAGE_ENDED &&
	    !run->message.alone)
		out_text(out, "sbx: what ran in the background ended with this command: run a "
			      "server and what uses it in one "
			      "command, or keep it in the foreground of one of its own\n");
}

// "command not found", of a program that the caller has: the shell inside cannot know.
static void say_unseen(const struct plan *plan, const struct outcome *outcome, struct out *out)
{
	struct out directories = { 0 };
	if (outcome->kind == OUTCOME_ENDED && WIFEXITED(outcome->status) &&
	    WEXITSTATUS(outcome->status) == STATUS_NOT_FOUND &&
	    paths_unseen(plan, getenv("PATH"), &directories) > 0)
		out_text(out,
			 "sbx: of your PATH the box does not have:%s; [files] read = DIRECTORY, or "
			 "--read DIRECTORY\n",
			 directories.text);
	out_free(&directories);
}

static void say_names(const struct list *names, const char *why, struct out *out)
{
	enum { NAMES_MOST = 8 };
	unsigned count = 0;
	list_each (item, names)
		if (count++ < NAMES_MOST)
			out_text(out, "%s%s",
				 count > 1 ? ", " : "sbx: hidden: ", str_shown(item->text));
	if (count > NAMES_MOST)
		out_text(out, " and %u more", count - NAMES_MOST);
	if (count > 0)
		out_text(out, ", which git's index %s; to show it: --read %s\n", why,
			 str_shown(names->first->text));
}

// Somebody looked for it, or the command failed and that may be why.
static void say_hidden(const struct plan *plan, const struct run *run,
		       const struct outcome *outcome, struct out *out)
{
	struct stat link;
	bool failed = outcome->kind != OUTCOME_ENDED || outcome->status != 0;
	bool met = run->absent >= 0 && fstat(run->absent, &link) == 0 && link.st_atime != 0;
	if (failed || met)
		say_names(&plan->untracked, "does not list", out);
	say_names(&plan->altered, "lists with another content", out);
}

// What was refused comes first, then what was found out, then how it ended.
static void say_all(const struct plan *plan, const struct run *run, const struct outcome *outcome,
		    const struct hit *hits, int count, const struct out *failure, struct out *out)
{
	bool model = plan->profile->report == TELL_MODEL ||
		     (plan->terse && plan->profile->report == TELL_SHORT);
	// sbx learn proposes lines of a profile instead.
	if (!plan->learn && model)
		denied_model(plan, &outcome->denials, out);
	else if (!plan->learn)
		denied_text(&outcome->denials, out);
	if (outcome->told.used)
		out_text(out, "%s", outcome->told.text);
	if (outcome->changed.used && !model)
		say_changed(outcome->changed.text, out);
	if (!plan->learn)
		say_hidden(plan, run, outcome, out);
	if (model)
		say_left(run, outcome, out);
	say_unseen(plan, outcome, out);
	for (int i = 0; i < count; i++)
		summary_hit(plan, &hits[i], model, out);
	if (failure->used)
		out_text(out, "%s", failure->text);
}

int report_outcome(const struct plan *plan, const struct run *run, struct outcome *outcome)
{
	struct out failure = { 0 }, lines = { 0 }, out = { 0 };
	int status = say_outcome(plan, run, outcome, &failure);
	struct hit hits[HITS_MOST];
	shorten_lines(&outcome->told);
	bool ran = outcome->kind == OUTCOME_ENDED || outcome->kind == OUTCOME_STOPPED;
	int count = ran ? usage_hits(plan, &run->group->usage, outcome->stop, outcome->status, hits)
			: 0;
	switch (plan->profile->report) {
	case TELL_NEVER:
		out_text(&out, "%s", failure.used ? failure.text : "");
		break;
	case TELL_SHORT:
	case TELL_MODEL:
		say_all(plan, run, outcome, hits, count, &failure, &out);
		break;
	case TELL_FULL:
		say_all(plan, run, outcome, hits, count, &failure, &out);
		if (ran)
			summary_text(plan, &run->group->usage, &out);
		break;
	case TELL_JSON:
		say_all(plan, run, outcome, hits, count, &failure, &lines);
		summary_json(plan, run, outcome, status, hits, count, &lines, &out);
		break;
	}
	out_flush(&out, STDERR_FILENO);
	out_free(&out);
	out_free(&lines);
	out_free(&failure);
	out_free(&outcome->told);
	out_free(&outcome->changed);
	return status;
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
