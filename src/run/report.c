// Owns the words of a run's end.
#include "run/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/steady.h"
#include "base/str.h"
#include "limits/group.h"
#include "net/host/audit.h"
#include "plan.h"
#include "postcheck/check.h"
#include "postcheck/finding/unshown.h"
#include "postcheck/check.h"
#include "probe/machine.h"
#include "report/findings.h"
#include "run.h"
#include "run/decide.h"
#include "run/summary.h"
#include "run/program.h"
#include "run/steps.h"

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
	// What is wrong with a plan is said as it is: it names the file and line itself.
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

// Adds what went wrong with the run itself, and returns the status that stands for its end.
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
	case OUTCOME_LOST:
		findings_add(found, FINDING_INIT_KILLED, "", "", "");
		return STATUS_FAILED;
	case OUTCOME_BROKEN:
		findings_add(found, FINDING_RUN_BROKEN, "", run->message.text, "");
		return STATUS_FAILED;
	case OUTCOME_ENDED:
		return WIFSIGNALED(outcome->status) ? 128 + WTERMSIG(outcome->status)
						    : WEXITSTATUS(outcome->status);
	}
	return STATUS_FAILED;
}

// A model starts a server in one command and wants it in the next.
static void find_left(const struct run *run, struct outcome *outcome)
{
	if (outcome->kind == OUTCOME_ENDED && run->message.kind == MESSAGE_ENDED &&
	    !run->message.alone)
		findings_add(&outcome->found, FINDING_BACKGROUND, "", "", "");
}

// A worktree that is gone has a line itself.
static void find_lost(const struct plan *plan, const struct run *run, struct outcome *outcome)
{
	const char *end = run->message.text + sizeof(run->message.text);
	char path[sizeof(run->message.text) + 2] = "~/";
	if (run->message.kind != MESSAGE_ENDED || plan->learn ||
	    outcome->found.counts[FINDING_WORKTREE_LOST])
		return;
	for (const char *at = run->message.text; at < end && *at; at += strlen(at) + 1) {
		memcpy(path + 2, at, strlen(at) + 1);
		findings_add(&outcome->found, FINDING_LEFT, str_equal(at, "...") ? at : path, "",
			     "");
	}
}

// "command not found", of a program that the caller has: the shell inside cannot know.
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
	if (!plan->learn) // which proposes lines of a profile
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

// Somebody looked for it, or the command failed and that may be why.
static void find_hidden(const struct plan *plan, const struct run *run, struct outcome *outcome)
{
	struct stat link;
	bool failed = outcome->kind != OUTCOME_ENDED || outcome->status != 0;
	bool met = run->absent >= 0 && fstat(run->absent, &link) == 0 && link.st_atime != 0;
	if (failed || met)
		find_names(&plan->untracked, FINDING_UNTRACKED, outcome);
	find_names(&plan->altered, FINDING_ALTERED, outcome);
}

static void find_all(const struct plan *plan, const struct run *run, struct outcome *outcome)
{
	if (!plan->learn)
		find_hidden(plan, run, outcome);
	find_left(run, outcome);
	find_lost(plan, run, outcome);
	find_unseen(plan, outcome);
	find_needs(plan, outcome);
	if (outcome->kind != OUTCOME_NO_EXEC)
		program_other(plan, &outcome->found);
}

// All that is said of a run.
struct saying {
	const struct plan *plan;
	const struct outcome *outcome;
	const struct findings *failure;
	struct hit hits[HITS_MAX];
	int count;
	enum reader reader;
};

// sbx learn proposes lines of a profile instead.
static void say_denials(const struct saying *saying, struct out *out)
{
	if (!saying->plan->learn)
		denied_text(saying->plan, &saying->outcome->denials, saying->reader, out);
}

static void say_hits(const struct saying *saying, struct out *out)
{
	for (int i = 0; i < saying->count; i++)
		summary_hit(&saying->hits[i], saying->reader == READER_AGENT, out);
}

// What was refused comes first, then what was found out, then how it ended.
static void say_all(const struct saying *saying, struct out *out)
{
	say_denials(saying, out);
	findings_text(&saying->outcome->found, saying->reader, out);
	say_hits(saying, out);
	findings_text(saying->failure, saying->reader, out);
}

// Where not all of it fits.
static void say_worst_first(const struct saying *saying, struct out *out)
{
	const struct findings *found = &saying->outcome->found;
	findings_severe(saying->failure, SEVERITY_ERROR, saying->reader, out);
	findings_severe(found, SEVERITY_DANGER, saying->reader, out);
	say_hits(saying, out);
	say_denials(saying, out);
	findings_severe(found, SEVERITY_WARNING, saying->reader, out);
	findings_severe(found, SEVERITY_NOTICE, saying->reader, out);
	findings_severe(saying->failure, SEVERITY_NOTICE, saying->reader, out);
}

// All of it goes to the audit.
static bool note_all(const struct saying *saying)
{
	struct saying audited = *saying;
	struct out text = { 0 };
	const struct plan *plan = saying->plan;
	audited.reader = READER_AUDIT;
	say_all(&audited, &text);
	bool noted =
		text.used > 0 && plan->state &&
		ATTEMPT(audit_report(plan->state, plan->toplevel ? plan->toplevel : plan->current,
				     text.text)) == 0;
	out_free(&text);
	return noted;
}

static void say_in_brief(const struct saying *saying, struct out *out)
{
	struct out worst = { 0 };
	say_worst_first(saying, &worst);
	if (worst.used > 0 && findings_brief(worst.text, (unsigned)getpid(), out)) {
		out_free(&worst);
		return;
	}
	out_free(&worst);
	say_all(saying, out);
}

// Ends what a box may have begun on a terminal and what would hide our lines, by xterm's ctlseqs: a
// string, VT52 mode, output to a printer, an update that is held back, the other screen; margins
// and origin mode, with the cursor as it is; character sets, attributes; inserted and cut lines,
// and a hidden cursor. ?1049l and DECSTR are not used: these move the cursor, or reset what a user
// set.
static const char plain_terminal[] = "\030\033\\\033<\033[4i\033[?2026l\033[?1047l"
				     "\0337\033[?69l\033[?6l\033[r\0338"
				     "\033(B\017\033[m\033[4l\033[?7h\033[?25h";

// A terminal that a box has stopped, or whose other end is not read, holds nothing up for longer.
static void write_report(struct out *out)
{
	enum { PATIENCE_MILLISECONDS = 1000 };
	struct out shown = { 0 };
	struct termios modes;
	bool terminal = out->used > 0 && tcgetattr(STDERR_FILENO, &modes) == 0;
	autoclose int fd =
		terminal ? open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
			 : -1;
	struct pollfd event = { .fd = fd, .events = POLLOUT };
	if (fd < 0) {
		out_flush(out, STDERR_FILENO);
		return;
	}
	out_text(&shown, "%s", plain_terminal);
	out_visible(&shown, out->text, out->used);
	int64_t end = steady_now() + PATIENCE_MILLISECONDS, left;
	for (size_t sent = 0; sent < shown.used && (left = end - steady_now()) > 0;) {
		ssize_t got = write(fd, shown.text + sent, shown.used - sent);
		sent += got > 0 ? (size_t)got : 0;
		if (got < 0 && (errno != EAGAIN || poll(&event, 1, (int)left) < 0))
			break;
	}
	out_free(&shown);
}

int report_outcome(const struct plan *plan, const struct run *run, struct outcome *outcome)
{
	struct findings failure = { 0 };
	struct out out = { 0 };
	enum telling report = plan->profile->report;
	bool model = report == TELL_MODEL || (plan->terse && report == TELL_SHORT);
	struct saying saying = { .plan = plan,
				 .outcome = outcome,
				 .failure = &failure,
				 .reader = model ? READER_AGENT : READER_PERSON };
	int status = find_outcome(plan, run, outcome, &failure);
	find_all(plan, run, outcome);
	bool ran = outcome->kind == OUTCOME_ENDED || outcome->kind == OUTCOME_STOPPED;
	if (ran)
		saying.count = usage_hits(plan, &run->group->usage, outcome->stop, outcome->status,
					  saying.hits);
	if (model && status != 0 && !plan->learn && denied_by_policy(&outcome->denials))
		findings_add(&outcome->found, FINDING_POLICY, "", "", "");
	bool began = outcome->kind != OUTCOME_FAILED; // else nothing is written, not even the state
	if (began)
		unshown_note(plan, &outcome->found);
	if (status == 0)
		denials_silence(&outcome->denials);
	bool noted = began && note_all(&saying);
	switch (report) {
	case TELL_NEVER:
		findings_text(&failure, READER_PERSON, &out);
		break;
	case TELL_SHORT:
	case TELL_MODEL:
		if (noted && status != 0)
			say_in_brief(&saying, &out);
		else
			say_all(&saying, &out);
		break;
	case TELL_FULL:
		say_all(&saying, &out);
		if (ran)
			summary_text(plan, &run->group->usage, &out);
		break;
	case TELL_JSON:
		summary_json(plan, run, outcome, status, saying.hits, saying.count, &failure, &out);
		break;
	}
	events_end(plan, run, outcome, status, saying.hits, saying.count, &failure, &out);
	write_report(&out);
	out_free(&out);
	findings_free(&failure);
	findings_free(&outcome->found);
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
