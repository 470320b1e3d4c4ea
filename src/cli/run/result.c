// Owns `sbx run --json` and -d: starts the front before the run, and puts the JSON answer, which
// `sbx wait --json` reads, too. With -d the caller's process waits until the command runs.
#include "cli/run/result.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "cli/boxes.h"
#include "cli/live/raw_terminal.h"
#include "cli/session/sessions.h"
#include "limits/group.h"
#include "report/print_fields.h"
#include "report/front.h"
#include "report/summary.h"
#include "run/run_command.h"

extern char **environ;

static struct front front = FRONT_NONE;

static const char *error_of(const struct outcome *outcome, struct out *text)
{
	static const char mark[] = "sbx: ";
	if (!outcome)
		return err_is_recorded() ? err_text() : NULL;
	findings_text(&outcome->failure, READER_PERSON, text);
	if (text->used == 0)
		return NULL;
	text->text[strcspn(text->text, "\n")] = '\0';
	return str_starts(text->text, mark) ? text->text + strlen(mark) : text->text;
}

static void put_changed(struct box *box, const char *session, struct out *out)
{
	FORGIVING;
	struct sessions sessions;
	if (sessions_open(box, SESSIONS_READ, &sessions) < 0)
		return;
	sessions.out = *out;
	changes_put(&sessions, session);
	*out = sessions.out;
}

// Puts all members but the output.
static void put_result(struct box *box, const struct ending *ending, int status, struct out *out)
{
	const struct outcome *outcome = ending ? ending->outcome : NULL;
	enum outcome_kind kind = outcome ? outcome->kind : OUTCOME_FAILED;
	char id[16];
	struct hit hits[HITS_MAX];
	struct out error = { 0 };
	struct result result = {
		.end = outcome ? summary_end(outcome) : "failed",
		.status = status,
		.ended = kind == OUTCOME_ENDED || kind == OUTCOME_INIT_KILLED,
		.wait_status = outcome ? outcome->status : 0,
		.timed_out = outcome && outcome->stop == STOP_TIME,
		.id = id,
		.session = box->invocation.session,
		.error = error_of(outcome, &error),
		.hits = hits,
	};
	snprintf(id, sizeof(id), "%d", (int)getpid());
	if (ending) {
		result.wall = ending->usage->wall;
		result.memory = ending->usage->memory;
		result.denials = ending->denials;
		result.found[0] = &outcome->found;
		result.found[1] = &outcome->failure;
	}
	if (kind == OUTCOME_ENDED || kind == OUTCOME_STOPPED)
		result.hit_count =
			usage_hits(&box->plan, ending->usage, outcome->stop, outcome->status, hits);
	result_put(&result, out);
	out_free(&error);
	if (ending && result.session && box->plan.session)
		put_changed(box, result.session, out);
	if (box->result_more)
		box->result_more(out);
}

// Stores the result of a run in the background, without the output, in its record.
static int end_result(struct box *box, const struct ending *ending, int status)
{
	struct out out = { 0 };
	put_result(box, ending, status, &out);
	if (front.record >= 0) {
		(void)ATTEMPT(owned_write(front.record, RECORD_RESULT, out.text, out.used));
		out_free(&out);
		records_sweep(front.boxes); // nobody waits here
		return status;
	}
	struct patience *patience = ending ? &ending->outcome->patience : NULL;
	return report_written(&box->plan, front_print(&front, &out, patience), status);
}

static int begin(struct box *box)
{
	front.id = arena_text(box->arena, "%d", (int)getpid());
	front.session = box->invocation.session;
	TRY(front_begin(&front));
	box->front = &front;
	box->invocation.front = front.socket;
	box->after = end_result;
	return 0;
}

int result_prepare(struct box *box)
{
	if (box->invocation.json != TOGGLE_YES)
		return 0;
	box_set_first(box, "report", "level", "never");
	return begin(box);
}

static int refuse_questions(const struct invocation *asked)
{
	const struct {
		enum toggle given;
		const char *option, *why;
	} refused[] = {
		{ asked->review, "review", "it asks at the end" },
		{ asked->ask, "ask", "it asks on the terminal" },
		{ asked->die_with_parent, "die-with-parent", "the run outlives its caller" },
	};
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (refused[i].given == TOGGLE_YES)
			return fail(0, "--detach and --%s cannot be given together: %s",
				    refused[i].option, refused[i].why);
	return 0;
}

static int make_record(struct box *box)
{
	const char *state = decide_state_directory(box->arena, environ);
	TRY(owned_check(state));
	TRY(front.boxes = records_directory(state));
	front.record = record_make(front.boxes, front.name, &front.lock);
	if (front.record < 0)
		return fail(errno, "make the file of the run's output");
	front.stored[0] = ring_make(front.record, &front.head);
	if (front.stored[0] < 0)
		record_remove(front.boxes, front.record, front.name);
	return front.stored[0];
}

// Makes this process the background run: the record's name gets its pid.
static int become_run(struct box *box, bool child_ignored)
{
	setsid();
	signal(SIGCHLD, child_ignored ? SIG_IGN : SIG_DFL);
	autoclose int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    record_name(front.boxes, front.name, getpid()) < 0)
		return fail(errno, "begin a run in the background");
	box->invocation.json = TOGGLE_NO;
	box->invocation.ready = front.ready;
	return begin(box);
}

static int status_of(pid_t run)
{
	int status;
	while (waitpid(run, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_FAILURE;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fail(0, "the run's own sbx was killed before its command began");
	return 128 + WTERMSIG(status);
}

static void show_output(int file)
{
	struct out out = { 0 };
	static char bytes[RING_CHUNK];
	uint64_t offset = 0;
	for (ssize_t got; (got = ring_read(file, &offset, bytes, sizeof(bytes))) > 0;) {
		out_bytes(&out, bytes, (size_t)got);
		offset += (uint64_t)got;
	}
	out_flush(&out, STDERR_FILENO);
}

// With `json` the front prints the result, and this process prints none.
static int await_start(const struct box *box, bool json, int ready, pid_t run)
{
	int32_t pid;
	char id[16], name[RECORD_NAME];
	struct out out = { .json = json };
	struct record_entry entry = { 0 };
	const struct record record = { front.record, front.lock };
	if (fd_read_all(ready, &pid, sizeof(pid)) == (ssize_t)sizeof(pid)) {
		snprintf(id, sizeof(id), "%d", pid);
		print_begin(&out, "started", NULL);
		print_members(&out, SHOWN("id", id, "", 0, "\n"),
			      MEMBER("session", box->invocation.session));
		record_read(front.lock, &entry);
		boxes_put_ports(&out, &entry.ports);
		print_end(&out, NULL);
		return box_done(&out, 0);
	}
	int status = status_of(run);
	bool killed = err_is_recorded();
	if (json)
		boxes_print_result(&record, NULL, killed ? "signal" : "failed", status);
	else
		show_output(front.stored[0]);
	if (killed)
		box_failed();
	unlinkat(front.record, RECORD_OUTPUT, 0);
	str_put(name, sizeof(name), "%d%s", (int)run, strchr(front.name, '-'));
	record_release(front.boxes, name);
	return status;
}

int background_begin(struct box *box, int *ret_status)
{
	int ready[2];
	TRY(refuse_questions(&box->invocation));
	TRY(make_record(box));
	if (pipe2(ready, O_CLOEXEC) < 0)
		return fail(errno, "pipe");
	if (box->invocation.terminal == TOGGLE_YES)
		box->invocation.size = raw_terminal_size();
	front.ready = ready[1];
	const bool json = box->invocation.json == TOGGLE_YES;
	const bool child_ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	pid_t run = fork();
	if (run < 0)
		return fail(errno, "fork");
	if (run == 0)
		return close(ready[0]), become_run(box, child_ignored);
	close(ready[1]);
	*ret_status = await_start(box, json, ready[0], run);
	return 1;
}
