// sbx stop, kill and wait: end live runs, or wait for their end. A signal goes to a pidfd that
// provably belongs to the run.
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "report/print_fields.h"
#include "report/front.h"
#include "report/output_ring.h"
#include "run/run_command.h"
#include "cli/boxes.h"
#include "cli/verbs.h"
#include "run.h"

enum { GRACE_MILLISECONDS = 10000, DYING_MILLISECONDS = 60000 };
enum { STATUS_TIMEOUT = 124, SIGNALLED = 128 };

struct ending_of {
	struct arena *arena;
	struct boxes boxes;
	const struct live_box **chosen;
	unsigned count;
	int64_t grace;           // milliseconds; 0: killed at once
	struct out out, missing; // missing: a line for each word without a run
};

static void choose(struct ending_of *ending, const char *id)
{
	const struct live_box *box = boxes_find(ending->arena, &ending->boxes, id);
	if (box)
		ending->chosen[ending->count++] = box;
	else if (err_tolerated(boxes_ended(ending->arena, id) != NULL))
		out_text(&ending->out, "ended: %s\n", id);
	else
		out_text(&ending->missing, "%s%s", ending->missing.used ? "\nsbx: " : "",
			 err_taken());
}

static void choose_all(struct ending_of *ending, char **ids)
{
	size_t count = ending->boxes.count + 1;
	for (char **id = ids; *id; id++)
		count++;
	ending->chosen = arena_take(ending->arena, count * sizeof(const struct live_box *));
	for (char **id = ids; *id; id++)
		choose(ending, *id);
	for (unsigned i = 0; !*ids && i < ending->boxes.count; i++)
		if (ending->boxes.all[i].run > 0)
			ending->chosen[ending->count++] = &ending->boxes.all[i];
}

// The supervisor forwards SIGTERM to the command. SIGCONT wakes a stopped supervisor.
static void ask_to_end(const struct held_box *held)
{
	sys_pidfd_send_signal(held->process, SIGTERM, NULL);
	sys_pidfd_send_signal(held->process, SIGCONT, NULL);
}

// Kills the box, not its supervisor, which still runs the check. If pid 1 is not found, kills the
// supervisor, and the box with it.
static void kill_box(const struct live_box *box, const struct held_box *held)
{
	autoclose int init = boxes_init(box, held);
	int number = init >= 0 && box->entry.landlock ? SIGNAL_END : SIGKILL;
	if (init >= 0)
		boxes_mark_killed(held);
	sys_pidfd_send_signal(init >= 0 ? init : held->process, number, NULL);
	sys_pidfd_send_signal(held->process, SIGCONT, NULL);
}

static bool has_ended(const struct held_box *held, int64_t until)
{
	struct pollfd event = { .fd = held->process, .events = POLLIN };
	int64_t left = until - steady_now();
	return poll(&event, 1, left > 0 ? (int)left : 0) == 1;
}

// Waits for the run's end until `until`, then kills the box.
static int end_one(struct ending_of *ending, const struct live_box *box, int64_t until)
{
	struct held_box held;
	const char *word = "stopped";
	if (boxes_hold(ending->arena, box, &held) == 0) {
		bool ended = ending->grace > 0 && has_ended(&held, until);
		if (!ended) {
			word = "killed";
			kill_box(box, &held);
			ended = has_ended(&held, steady_now() + DYING_MILLISECONDS);
		}
		boxes_release(&held);
		if (!ended)
			return fail(0, "run %s was killed, but its sbx has not ended", box->id);
	}
	TRY(err_is_recorded() ? -1 : 0);
	out_text(&ending->out, "%s: %s\n", word, box->id);
	return 0;
}

static int end_all(struct ending_of *ending)
{
	struct held_box held;
	// All runs get the signal first, and share the time.
	for (unsigned i = 0; ending->grace > 0 && i < ending->count; i++)
		if (boxes_hold(ending->arena, ending->chosen[i], &held) == 0) {
			ask_to_end(&held);
			boxes_release(&held);
		}
	int64_t until = steady_now() + ending->grace;
	for (unsigned i = 0; i < ending->count; i++)
		TRY(end_one(ending, ending->chosen[i], until));
	return 0;
}

static int act(struct ending_of *ending, const struct box *box, const char *usage, char **ids)
{
	bool all = box->invocation.all == TOGGLE_YES;
	if (all == (ids[0] != NULL))
		return fail(0, "usage: sbx %s", usage);
	ending->grace = (int64_t)box->invocation.stop_time;
	TRY(boxes_list(ending->arena, BOXES_LIVE, &ending->boxes));
	choose_all(ending, ids);
	TRY(end_all(ending));
	return ending->missing.used ? fail(0, "%s", ending->missing.text) : 0;
}

// sbx kill is sbx stop --time 0s.
static int stop(enum verb_row_index row, uint64_t grace, char **words)
{
	struct box *box = box_new();
	struct ending_of ending = { .arena = arena_new_of(BOXES_BYTES) };
	box->invocation.stop_time = grace;
	if (box_read_mixed(box, (enum verb)(1U << row), words, &words) < 0)
		return box_failed();
	int result = act(&ending, box, verb_rows[row].synopsis, words);
	if (result < 0)
		out_flush(&ending.out,
			  STDOUT_FILENO); // reports those that ended before the failure
	return box_done(&ending.out, result);
}

int verb_stop(char **words)
{
	return stop(ROW_STOP, GRACE_MILLISECONDS, words);
}

int verb_kill(char **words)
{
	return stop(ROW_KILL, 0, words);
}

// Finds a run that is not listed any more: the run or its box has ended.
static int find_ended(struct arena *arena, const char *id, struct record *ret_record)
{
	struct record_entry entry;
	bool said = err_is_recorded();
	if (ATTEMPT(boxes_any(arena, id, ret_record)) < 0)
		return said ? -1 : fail(0, "run %s has ended; its exit status is not known", id);
	bool lives = record_pid_here(ret_record->lock) >= 0 &&
		     record_read(ret_record->lock, &entry) && entry.end == RECORD_LIVES;
	return err_tolerated(!lives) || !said ? 0 : -1; // several match, or the run is elsewhere
}

// Returns how the run ended, or NULL on failure.
static const char *wait_for(struct arena *arena, const char *id, struct record *ret_record,
			    int *ret_status)
{
	struct boxes boxes;
	struct held_box held;
	if (boxes_list(arena, BOXES_LIVE, &boxes) < 0)
		return NULL;
	const struct live_box *box = boxes_find(arena, &boxes, id);
	if (box && boxes_hold(arena, box, &held) == 0)
		*ret_record = held.record;
	else if (find_ended(arena, id, ret_record) < 0)
		return NULL;
	record_await(ret_record->lock); // the supervisor still writes into the record
	const char *end = record_status(ret_record->lock, ret_status);
	if (!end)
		fail(0, "run %s has ended; its exit status is not known", id);
	return end;
}

// Puts the newest bytes of both streams, which one pipe carried.
static void put_output(int file, struct out *out)
{
	enum { SHOWN_MAX = 1 << 20 };
	static char text[SHOWN_MAX + 1];
	struct ring_head head = { 0 };
	size_t length = 0;
	ssize_t got;
	if (file >= 0)
		ring_read_head(file, &head);
	uint64_t begin = head.total > SHOWN_MAX ? head.total - SHOWN_MAX : 0, offset = begin;
	while (file >= 0 && length < SHOWN_MAX &&
	       (got = ring_read(file, &offset, text + length, SHOWN_MAX - length)) > 0) {
		length += (size_t)got;
		offset += (uint64_t)got;
	}
	captured_text(out, "stdout", text, length);
	print_members(out, MEMBER("stderr", ""), MEMBER_FLAG("truncated", file < 0 || begin > 0));
}

int boxes_print_result(const struct record *record, const char *id, const char *end, int status)
{
	enum { RESULT_MAX = 8 << 20 };
	static char text[RESULT_MAX];
	size_t length;
	struct out out = { .json = true };
	bool killed = str_equal(end, "signal");
	struct result result = { .end = end,
				 .status = status,
				 .id = id,
				 .ended = killed || str_equal(end, "exit"),
				 .wait_status = killed ? status - SIGNALLED : W_EXITCODE(status, 0),
				 .timed_out = str_equal(end, "limit") && status == STATUS_TIMEOUT };
	autoclose int file = ATTEMPT(boxes_output(record, id ? id : ""));
	if (file_read_into(record->directory, RECORD_RESULT, 0, text, sizeof(text), &length) > 0)
		out_bytes(&out, text, length);
	else
		result_put(&result, &out);
	out.comma = true;
	put_output(file, &out);
	print_end(&out, NULL);
	return out_write(&out, STDOUT_FILENO) < 0 ? STATUS_FAILURE : status;
}

int verb_wait(char **words)
{
	struct box *box = box_new();
	struct record record = { -1, -1 };
	int status = 0;
	char **ids = words;
	if (box_read_mixed(box, VERB_WAIT, words, &ids) < 0)
		return box_refused(box, words);
	const char *end = ids[0] && !ids[1]
				  ? wait_for(arena_new_of(BOXES_BYTES), ids[0], &record, &status)
				  : NULL;
	if (!ids[0] || ids[1])
		fail(0, "usage: sbx wait [--json] ID");
	if (!end)
		return box_refused(box, words);
	return box->invocation.json == TOGGLE_YES ? boxes_print_result(&record, ids[0], end, status)
						  : status;
}
