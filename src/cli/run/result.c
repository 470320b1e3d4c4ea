// Owns the answer of sbx run --json, and what a run in the background leaves for sbx wait --json.
#include "cli/run/result.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "cli/session/sessions.h"
#include "limits/group.h"
#include "report/answer_fields.h"
#include "report/capture.h"
#include "run/run_command.h"
#include "report/summary.h"

static struct capture capture;
static int noted = -1;

static void put_limits(const struct box *box, const struct ending *ending, struct out *out)
{
	struct hit hits[HITS_MAX];
	const struct outcome *outcome = ending->outcome;
	bool ran = outcome->kind == OUTCOME_ENDED || outcome->kind == OUTCOME_STOPPED;
	int count =
		ran ? usage_hits(&box->plan, ending->usage, outcome->stop, outcome->status, hits)
		    : 0;
	answer_open(out, "limits", '[');
	for (const struct hit *hit = hits; hit < hits + count; hit++)
		answer_one(out, MEMBER("name", hit->key), MEMBER_NUMBER("limit", hit->limit),
			   MEMBER("what", hit->what));
	answer_close(out, ']');
}

static void put_changed(struct box *box, const char *session, struct out *out)
{
	FORGIVING;
	struct sessions sessions;
	if (sessions_open(box, &sessions) < 0 || owned_override(OVER_READING) < 0)
		return;
	sessions.out = *out;
	changes_put(&sessions, session);
	*out = sessions.out;
}

// All but the output.
static void put_result(struct box *box, const struct ending *ending, int status, struct out *out)
{
	const struct outcome *outcome = ending ? ending->outcome : NULL;
	const char *session = box->invocation.session;
	out->json = true;
	answer_begin(out, "result", NULL);
	answer_members(out, MEMBER("end", outcome ? summary_end(outcome) : "failed"));
	capture_status(out, outcome && outcome->kind == OUTCOME_ENDED,
		       outcome ? outcome->status : 0, status);
	answer_members(out, MEMBER_FLAG("timed_out", outcome && outcome->stop == STOP_TIME),
		       MEMBER_NUMBER("run", (unsigned)getpid()), MEMBER("session", session));
	if (!ending)
		return;
	answer_members(out, MEMBER_NUMBER("wall_ms", ending->usage->wall));
	put_limits(box, ending, out);
	denied_json(ending->denials, out);
	json_open(out, "findings", '[');
	findings_json(&outcome->found, out);
	json_close(out, ']');
	if (session && box->plan.session)
		put_changed(box, session, out);
}

static int print_result(struct box *box, const struct ending *ending, int status)
{
	struct out out = { 0 };
	put_result(box, ending, status, &out);
	capture_end(&capture, &out);
	return capture_print(&capture, &out) < 0 ? STATUS_FAILURE : status;
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
	(void)!pwrite(noted, out.text, out.used, 0);
	out_free(&out);
	return status;
}

int result_note(struct box *box)
{
	noted = memfd_create("sbx", MFD_CLOEXEC);
	box->after = note_result;
	return noted < 0 ? fail(errno, "memory for the result") : noted;
}
