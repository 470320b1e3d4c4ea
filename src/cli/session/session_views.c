// Owns the printing of sessions and their snapshots.
#include "cli/session/sessions.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "report/print_fields.h"
#include "session/apply/apply.h"
#include "session/store/store.h"

enum { TIME_MAX = 32, SIZE_TEXT_MAX = 32 };

static void put_size(char text[SIZE_TEXT_MAX], uint64_t bytes)
{
	if (bytes == SIZE_UNKNOWN)
		snprintf(text, SIZE_TEXT_MAX, "(too deep to be measured)");
	else
		units_rough(text, SIZE_TEXT_MAX, bytes, UNIT_SIZE);
}

static void put_time(char text[TIME_MAX], int64_t seconds)
{
	struct tm date;
	time_t time = (time_t)seconds;
	localtime_r(&time, &date);
	strftime(text, TIME_MAX, "%Y-%m-%d %H:%M:%S", &date);
}

// Returns the number of live runs. `shows`: also prints them, as text or JSON.
static unsigned walk_runs(struct sessions *sessions, const struct held *held, bool shows)
{
	FORGIVING;
	struct runs runs;
	struct session_run run;
	unsigned count = 0;
	if (runs_open(sessions->store.state, held->directory, &runs) < 0)
		return 0;
	for (; runs_next(&runs, &run) == 1; record_close(&run.record)) {
		count++;
		if (shows)
			print_one(&sessions->out,
				  COUNTED("process", (unsigned)run.entry.supervisor,
					  "running   process ", 0, ": "),
				  SHOWN("command", str_shown(run.entry.command), "", 0, "\n"));
	}
	runs_close(&runs);
	return count;
}

// Also lists a session with unreadable state, with the reason.
static void list_one(struct sessions *sessions, const char *name)
{
	struct held held;
	char time[TIME_MAX];
	if (store_hold(&sessions->store, name, HOLD_LOOK, &held) < 0) {
		out_text(&sessions->notes, "sbx: %s\n", err_taken());
		return;
	}
	unsigned count = walk_runs(sessions, &held, false), snapshots = held.session.snapshot_count;
	bool pending = apply_is_pending(&held);
	put_time(time, held.session.created);
	print_one(&sessions->out, SHOWN("name", name, "", -20, " "),
		  MEMBER("project", held.session.project), SHOWN("created", time, "", 0, "  "),
		  COUNTED("snapshots", snapshots, "", 2,
			  snapshots == 1 ? " snapshot   " : " snapshots  "),
		  SHOWN(NULL, held.session.project, "", 0, ""), MEMBER_NUMBER("running", count),
		  WORDS(count ? "  (running)" : ""),
		  FLAGGED("interrupted", pending, "  (an apply was interrupted)"), WORDS("\n"));
	store_release(&held);
}

int sessions_list(struct sessions *sessions, char **words)
{
	char **names;
	int count = store_names(&sessions->store, &names);
	(void)words;
	TRY(count);
	print_begin(&sessions->out, "sessions", "sessions");
	for (int i = 0; i < count; i++)
		list_one(sessions, names[i]);
	print_end(&sessions->out, "sessions");
	if (!sessions->out.json && count == 0)
		out_text(&sessions->notes,
			 "sbx: no sessions; to make one: sbx session create NAME\n");
	return 0;
}

static void show_roots(struct out *out, const struct session *session)
{
	print_open(out, "directories", '[');
	for (const struct root *root = session->roots; root < session->roots + session->root_count;
	     root++)
		if (out->json)
			json_string(out, NULL, root->path);
		else
			out_text(out, "%s %s\n", root->own ? "own      " : "over     ",
				 str_shown(root->path));
	print_close(out, ']');
}

int sessions_show(struct sessions *sessions, char **words)
{
	struct held held;
	struct out *out = &sessions->out;
	char time[TIME_MAX], size[SIZE_TEXT_MAX];
	TRY(store_hold(&sessions->store, words[0], HOLD_LOOK, &held));
	const struct session *session = &held.session;
	unsigned layers = session->layer_count;
	uint64_t bytes = size_of_session(&held);
	put_time(time, session->created);
	put_size(size, bytes);
	print_begin(out, "session", NULL);
	print_members(out, MEMBER("name", held.name),
		      SHOWN("project", session->project, "project   ", 0, "\n"),
		      SHOWN("created", time, "created   ", 0, "\n"),
		      NUMBER_IF(bytes != SIZE_UNKNOWN, "bytes", bytes),
		      SHOWN(NULL, size, "size      ", 0, " in "),
		      COUNTED("layers", layers, "", 0, layers == 1 ? " layer\n" : " layers\n"),
		      COUNTED("snapshots", session->snapshot_count, "snapshots ", 0, ""),
		      MEMBER("from", session->from),
		      SHOWN(NULL, session->from[0] ? session->from : NULL, ", based on ", 0, ""),
		      WORDS("\n"));
	show_roots(out, session);
	print_open(out, "running", '[');
	walk_runs(sessions, &held, true);
	print_close(out, ']');
	if (apply_is_pending(&held))
		print_members(out,
			      SHOWN(NULL, held.name,
				    "an apply was interrupted; to complete it: sbx session apply ",
				    0, "\n"));
	print_end(out, NULL);
	return 0;
}

int sessions_log(struct sessions *sessions, char **words)
{
	struct held held;
	struct out *out = &sessions->out;
	char time[TIME_MAX], size[SIZE_TEXT_MAX];
	TRY(store_hold(&sessions->store, words[0], HOLD_LOOK, &held));
	const struct session *session = &held.session;
	print_begin(out, "session-log", "snapshots");
	for (const struct snapshot *snapshot = session->snapshots;
	     snapshot < session->snapshots + session->snapshot_count; snapshot++) {
		uint64_t bytes = size_of_layer(&held, snapshot->layer);
		const char *parent = snapshot->parent, *command = snapshot->command;
		bool here = str_equal(session->from, snapshot->name);
		put_time(time, snapshot->time);
		put_size(size, bytes);
		print_one(out, SHOWN("name", snapshot->name, "", -20, " "),
			  MEMBER("parent", parent),
			  MEMBER_NUMBER("time", (unsigned long long)snapshot->time),
			  SHOWN(NULL, time, "", 0, " "),
			  NUMBER_IF(bytes != SIZE_UNKNOWN, "bytes", bytes),
			  SHOWN(NULL, size, "", 7, ""),
			  SHOWN(NULL, parent[0] ? parent : NULL, "  after ", 0, ""),
			  SHOWN("command", command, command[0] ? "  " : "", 0, ""),
			  FLAGGED("here", here, "  <- here"), WORDS("\n"));
	}
	print_end(out, "snapshots");
	if (!out->json && session->snapshot_count == 0)
		out_text(&sessions->notes,
			 "sbx: no snapshots; to make one: sbx session snapshot %s\n", held.name);
	return 0;
}
