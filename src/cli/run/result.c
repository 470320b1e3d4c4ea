// Owns the answer of sbx run --json, and what a run in the background leaves for sbx wait --json.
#include "cli/run/result.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "boxes/record.h"
#include "cli/session/sessions.h"
#include "limits/group.h"
#include "report/capture.h"
#include "run/run_command.h"
#include "report/summary.h"

static struct capture capture;

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

// All but the output.
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
		.ended = kind == OUTCOME_ENDED || kind == OUTCOME_KILLED,
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

static int print_result(struct box *box, const struct ending *ending, int status)
{
	struct out out = { 0 };
	struct patience *patience = ending ? &ending->outcome->patience : NULL;
	put_result(box, ending, status, &out);
	capture_end(&capture, &out);
	return report_written(&box->plan, capture_print(&capture, &out, patience), status);
}

int result_prepare(struct box *box)
{
	if (box->invocation.json != ANSWER_YES)
		return 0;
	if (box->invocation.review == ANSWER_YES)
		return fail(0,
			    "--json and --review cannot be given together: its questions are for a "
			    "person");
	TRY(capture_begin(&capture));
	box_set_first(box, "report", "level", "never");
	box->after = print_result;
	return 0;
}

static int note_result(struct box *box, const struct ending *ending, int status)
{
	struct out out = { 0 };
	put_result(box, ending, status, &out);
	(void)ATTEMPT(owned_write(box->front->record, RECORD_RESULT, out.text, out.used));
	out_free(&out);
	return status;
}

void result_note(struct box *box)
{
	box->after = note_result;
}
