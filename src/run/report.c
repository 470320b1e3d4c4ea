// Owns the end of a run: status, findings about a failure, the report.
#include "run/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "limits/group.h"
#include "net/host/destinations.h"
#include "plan.h"
#include "postcheck/postcheck.h"
#include "postcheck/acts/check.h"
#include "probe/machine.h"
#include "run.h"

enum {
	STATUS_TIMEOUT = 124,
	STATUS_FAILED = 125,
	STATUS_NO_EXEC = 126,
	STATUS_NOT_FOUND = 127,
	STATUS_KILLED = 137
};

static void find_failure(const struct run *run, struct findings *found)
{
	const char *step = steps[run->message.step].name;
	const char *advice = probe_advice(step, run->message.number);
	bool planned = steps[run->message.step].make == decide_host;
	findings_add(found, planned ? FINDING_PLAN_FAILED : FINDING_STEP_FAILED,
		     planned ? "" : step, run->message.text, "");
	if (advice)
		findings_add(found, FINDING_ADVICE, "", advice, "");
}

static int find_no_exec(const struct plan *plan, const struct run *run, struct findings *found)
{
	int problem = run->message.number;
	if (problem == ENOENT || problem == ENOTDIR) {
		program_absent(plan, found);
		return STATUS_NOT_FOUND;
	}
	findings_add(found, FINDING_CANNOT_RUN, plan->command[0],
		     problem == ENOEXEC ? "it is a program for another machine, or damaged"
					: strerror(problem),
		     "");
	return STATUS_NO_EXEC;
}

static int find_outcome(const struct plan *plan, const struct run *run,
			const struct outcome *outcome, struct findings *found)
{
	bool in_time = outcome->stop == STOP_TIME;
	switch (outcome->kind) {
	case OUTCOME_FAILED:
		find_failure(run, found);
		return STATUS_FAILED;
	case OUTCOME_NO_EXEC:
		return find_no_exec(plan, run, found);
	case OUTCOME_STOPPED:
		return in_time ? STATUS_TIMEOUT : STATUS_KILLED;
	case OUTCOME_INIT_KILLED:
		findings_add(found, record_is_killed(run) ? FINDING_KILLED : FINDING_INIT_KILLED,
			     "", "", "");
		return STATUS_KILLED;
	case OUTCOME_INIT_VANISHED:
		// With these findings the supervisor has ended the box.
		if (!outcome->found.counts[FINDING_PROTECTION_LOST] &&
		    !outcome->found.counts[FINDING_RETURNS])
			findings_add(found, FINDING_INIT_LOST, "", "", "");
		return STATUS_FAILED;
	case OUTCOME_HOST_FAILED:
		findings_add(found, FINDING_RUN_BROKEN, "", run->message.text, "");
		return STATUS_FAILED;
	case OUTCOME_ENDED:
		return WIFSIGNALED(outcome->status) ? 128 + WTERMSIG(outcome->status)
						    : WEXITSTATUS(outcome->status);
	}
	return STATUS_FAILED;
}

// Reports that processes were left: a model expects a server to live in the next run.
static void find_left(const struct run *run, struct outcome *outcome)
{
	if (outcome->kind == OUTCOME_ENDED && run->message.kind == MESSAGE_ENDED &&
	    !run->message.alone)
		findings_add(&outcome->found, FINDING_BACKGROUND, "", "", "");
}

static void find_lost(struct arena *arena, const struct run *run, struct outcome *outcome)
{
	const char *end = run->message.left + sizeof(run->message.left);
	char path[sizeof(run->message.left) + 2] = "~/";
	enum finding_kind kind = FINDING_LEFT;
	if (run->message.kind != MESSAGE_ENDED || outcome->found.counts[FINDING_WORKTREE_LOST])
		return;
	for (const char *at = run->message.left; at < end && *at; at += strlen(at) + 1) {
		memcpy(path + 2, at, strlen(at) + 1);
		if (str_equal(at, "...")) {
			findings_add(&outcome->found, kind,
				     kind == FINDING_INSTALLED ? "other files" : at, "", "");
			continue;
		}
		kind = at[0] == '.' && strstr(at, "/bin/") ? FINDING_INSTALLED : FINDING_LEFT;
		const char *place = quote_fix(arena, arena_copy(arena, at, strcspn(at, "/")));
		findings_add(&outcome->found, kind, path, "",
			     kind == FINDING_INSTALLED && place ? arena_text(arena, "~/%s", place)
								: "");
	}
}

static void find_unseen(const struct plan *plan, struct outcome *outcome)
{
	struct out directories = { 0 };
	if (outcome->kind == OUTCOME_ENDED && WIFEXITED(outcome->status) &&
	    WEXITSTATUS(outcome->status) == STATUS_NOT_FOUND &&
	    program_unseen(plan, getenv("PATH"), &directories) > 0)
		findings_add(&outcome->found, FINDING_PATH, "", directories.text + 1, "");
	out_free(&directories);
}

static void find_needs(const struct plan *plan, struct outcome *outcome)
{
	if (outcome->kind != OUTCOME_ENDED || outcome->status == 0)
		return;
	program_needs(plan, &outcome->found);
	program_names(plan, &outcome->found);
	if (!plan->learn)
		links_out(plan, &outcome->found);
	check_refused(plan, &outcome->found);
	if (plan->explain)
		program_withheld(plan, &outcome->found);
}

static void find_names(const struct list *names, enum finding_kind kind, struct outcome *outcome)
{
	list_each (item, names)
		findings_add(&outcome->found, kind, item->text, "", item->text);
}

// Reports altered files, and untracked ones if a program tried to open one, or the command failed.
static void find_hidden(const struct plan *plan, const struct run *run, struct outcome *outcome)
{
	struct stat link;
	bool failed = outcome->kind != OUTCOME_ENDED || outcome->status != 0;
	bool met = run->dangling_link >= 0 && fstat(run->dangling_link, &link) == 0 &&
		   link.st_atime != 0;
	if (failed || met)
		find_names(&plan->untracked, FINDING_UNTRACKED, outcome);
	find_names(&plan->altered, FINDING_ALTERED, outcome);
}

// Reports that the command took the owner's rights to the project.
static void find_rights(const struct plan *plan, struct arena *arena, struct outcome *outcome)
{
	const char *fix = owned_closed(arena, plan->project);
	if (fix && outcome->kind != OUTCOME_FAILED)
		findings_add(&outcome->found, FINDING_RIGHTS_LOST, plan->project, "", fix);
}

static void find_all(const struct plan *plan, const struct run *run, struct outcome *outcome)
{
	struct arena *arena = arena_new();
	find_rights(plan, arena, outcome);
	if (!plan->learn)
		find_hidden(plan, run, outcome);
	find_left(run, outcome);
	find_lost(arena, run, outcome);
	arena_free(arena);
	find_unseen(plan, outcome);
	find_needs(plan, outcome);
	if (outcome->kind != OUTCOME_NO_EXEC)
		program_other(plan, &outcome->found);
}

static bool note(const struct plan *plan, struct out *text)
{
	const char *project = plan->toplevel ? plan->toplevel : plan->current;
	bool noted = text->used > 0 && plan->state &&
		     ATTEMPT(audit_report(plan->state, project, text->text)) == 0;
	out_free(text);
	return noted;
}

static bool note_in_audit(const struct saying *saying)
{
	struct saying audited = *saying;
	struct out text = { 0 };
	audited.reader = READER_AUDIT;
	summary_all(&audited, &text);
	return note(saying->plan, &text);
}

int report_written(const struct plan *plan, int result, int status)
{
	struct out text = { 0 };
	if (result == 0)
		return status;
	out_text(&text, "sbx: what sbx printed at the end could not be written: %s\n",
		 errno == EAGAIN ? "it was not read in time" : strerror(errno));
	note(plan, &text);
	return status == 0 ? STATUS_FAILED : status;
}

static struct patience have_patience(const struct plan *plan, const struct run *run)
{
	int64_t now = steady_now(), until = now + PATIENCE_MILLISECONDS;
	if (plan->profile->limits.time < (uint64_t)(until - run->began))
		until = run->began + (int64_t)plan->profile->limits.time;
	if (until < now + PATIENCE_LEAST_MILLISECONDS)
		until = now + PATIENCE_LEAST_MILLISECONDS;
	return (struct patience){ until, run->signals };
}

static bool has_run(const struct outcome *outcome)
{
	return outcome->kind == OUTCOME_ENDED || outcome->kind == OUTCOME_STOPPED;
}

static void put_report(const struct saying *saying, bool noted, struct out *out)
{
	switch (saying->plan->profile->report) {
	case TELL_NEVER:
		findings_text(&saying->outcome->failure, READER_PERSON, out);
		break;
	case TELL_SHORT:
	case TELL_MODEL:
		if (noted)
			summary_brief(saying, out);
		else
			summary_all(saying, out);
		break;
	case TELL_FULL:
		summary_all(saying, out);
		if (has_run(saying->outcome))
			summary_usage(saying, out);
		break;
	case TELL_JSON:
		summary_json(saying, out);
		break;
	}
}

int report_outcome(const struct plan *plan, const struct run *run, struct outcome *outcome)
{
	struct out out = { 0 };
	enum telling report = plan->profile->report;
	bool model = report == TELL_MODEL || (plan->terse && report == TELL_SHORT);
	struct saying saying = { .plan = plan,
				 .run = run,
				 .outcome = outcome,
				 .reader = model ? READER_AGENT : READER_PERSON };
	int status = saying.status = find_outcome(plan, run, outcome, &outcome->failure);
	outcome->patience = have_patience(plan, run);
	if (plan->timing)
		report_timing(plan, run, &outcome->patience);
	find_all(plan, run, outcome);
	const char *unasked = run->no_listener ? "the kernel gave no listener" : plan->unasked;
	if (unasked && status != 0)
		findings_add(&outcome->found, FINDING_UNASKED, "", unasked, "");
	if (has_run(outcome))
		saying.count = usage_hits(plan, &run->group->usage, outcome->stop, outcome->status,
					  saying.hits);
	if (model && status != 0 && !plan->learn && denied_can_be_allowed(&outcome->denials))
		findings_add(&outcome->found, FINDING_POLICY, "", "", "");
	bool began =
		outcome->kind != OUTCOME_FAILED; // otherwise the state directory stays as it is
	if (began)
		unshown_note(plan, &outcome->found);
	denials_close(&outcome->denials, status == 0);
	put_report(&saying, began && note_in_audit(&saying), &out);
	int written = terminal_lines_say(&out, STDERR_FILENO, &outcome->patience);
	if (began)
		saying.status = report_written(plan, written, status);
	events_end(&saying, &out);
	terminal_lines_say(&out, STDERR_FILENO, &outcome->patience);
	return saying.status;
}
