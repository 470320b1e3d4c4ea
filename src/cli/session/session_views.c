// Owns the words of sessions and their snapshots.
#include "cli/session/sessions.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "session/apply/apply.h"
#include "session/store/runs.h"
#include "session/store/size.h"

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

static unsigned running(const struct held *held)
{
	FORGIVING;
	struct runs runs;
	struct run_record record;
	unsigned count = 0;
	if (runs_open(held->directory, &runs) == 0) {
		while (runs_next(&runs, &record) == 1)
			count++;
		runs_close(&runs);
	}
	return count;
}

struct listing {
	struct sessions *sessions;
	unsigned count;
};

// A session whose state cannot be read is listed all the same, with the reason.
static int list_one(void *context, const char *name)
{
	struct listing *listing = context;
	struct sessions *sessions = listing->sessions;
	bool json = sessions->box->invocation.json == ANSWER_YES;
	struct held held;
	char time[TIME_MAX];
	listing->count++;
	if (store_hold(&sessions->store, name, HOLD_LOOK, &held) < 0) {
		out_text(&sessions->notes, "sbx: %s\n", err_taken());
		return 0;
	}
	unsigned count = running(&held);
	put_time(time, held.session.created);
	if (json) {
		json_open(&sessions->out, NULL, '{');
		json_string(&sessions->out, "name", name);
		json_string(&sessions->out, "project", held.session.project);
		json_string(&sessions->out, "created", time);
		json_number(&sessions->out, "snapshots", held.session.snapshot_count);
		json_number(&sessions->out, "running", count);
		json_flag(&sessions->out, "interrupted", apply_is_pending(&held));
		json_close(&sessions->out, '}');
	} else {
		out_text(&sessions->out, "%-20s %s  %2u snapshot%s  %s%s%s\n", name, time,
			 held.session.snapshot_count, held.session.snapshot_count == 1 ? " " : "s",
			 str_shown(held.session.project), count ? "  (running)" : "",
			 apply_is_pending(&held) ? "  (an apply was interrupted)" : "");
	}
	store_release(&held);
	return 0;
}

int sessions_list(struct sessions *sessions, char **words)
{
	struct listing listing = { sessions, 0 };
	bool json = sessions->box->invocation.json == ANSWER_YES;
	(void)words;
	if (json) {
		json_begin(&sessions->out, "sessions");
		json_open(&sessions->out, "sessions", '[');
	}
	TRY(store_each(&sessions->store, list_one, &listing));
	if (json) {
		json_close(&sessions->out, ']');
		json_end(&sessions->out);
	} else if (listing.count == 0)
		out_text(&sessions->notes,
			 "sbx: no sessions; to make one: sbx session create NAME\n");
	return 0;
}

static void show_runs(struct sessions *sessions, const struct held *held)
{
	struct runs runs;
	struct run_record record;
	bool json = sessions->box->invocation.json == ANSWER_YES;
	if (runs_open(held->directory, &runs) < 0)
		return;
	while (runs_next(&runs, &record) == 1) {
		const char *command = str_shown(record.command);
		if (!json) {
			out_text(&sessions->out, "running   process %d: %s\n",
				 (int)record.supervisor, command);
			continue;
		}
		json_open(&sessions->out, NULL, '{');
		json_number(&sessions->out, "process", (unsigned long long)record.supervisor);
		json_string(&sessions->out, "command", command);
		json_close(&sessions->out, '}');
	}
	runs_close(&runs);
}

static void show_json(struct sessions *sessions, const struct held *held, uint64_t bytes,
		      const char *time)
{
	struct out *out = &sessions->out;
	json_begin(out, "session");
	json_string(out, "name", held->name);
	json_string(out, "project", held->session.project);
	json_string(out, "created", time);
	if (bytes != SIZE_UNKNOWN)
		json_number(out, "bytes", bytes);
	json_number(out, "budget", held->session.budget);
	json_number(out, "layers", held->session.layer_count);
	json_number(out, "snapshots", held->session.snapshot_count);
	json_string(out, "from", held->session.from);
	json_open(out, "directories", '[');
	for (unsigned i = 0; i < held->session.root_count; i++)
		json_string(out, NULL, held->session.roots[i].path);
	json_close(out, ']');
	json_open(out, "running", '[');
	show_runs(sessions, held);
	json_close(out, ']');
	json_end(out);
}

int sessions_show(struct sessions *sessions, char **words)
{
	struct held held;
	char time[TIME_MAX], size[SIZE_TEXT_MAX];
	TRY(store_hold(&sessions->store, words[0], HOLD_LOOK, &held));
	const struct session *session = &held.session;
	uint64_t bytes = size_of_session(&sessions->store, session);
	put_time(time, session->created);
	if (sessions->box->invocation.json == ANSWER_YES) {
		show_json(sessions, &held, bytes, time);
		return 0;
	}
	put_size(size, bytes);
	out_text(&sessions->out,
		 "project   %s\ncreated   %s\nsize      %s in %u layer%s\nsnapshots %u%s%s\n",
		 str_shown(session->project), time, size, session->layer_count,
		 session->layer_count == 1 ? "" : "s", session->snapshot_count,
		 session->from[0] ? ", based on " : "", session->from);
	for (unsigned i = 0; i < session->root_count; i++)
		out_text(&sessions->out, "%s %s\n",
			 session->roots[i].own ? "own      " : "over     ",
			 str_shown(session->roots[i].path));
	if (session->budget) {
		units_rough(size, sizeof(size), session->budget, UNIT_SIZE);
		out_text(&sessions->out, "budget    %s\n", size);
	}
	show_runs(sessions, &held);
	if (apply_is_pending(&held))
		out_text(&sessions->out,
			 "an apply was interrupted; to complete it: sbx session apply %s\n",
			 held.name);
	return 0;
}

static void log_line(struct sessions *sessions, const struct session *session,
		     const struct snapshot *snapshot, const char *front, const char *mark)
{
	char time[TIME_MAX], size[SIZE_TEXT_MAX];
	put_time(time, snapshot->time);
	put_size(size, size_of_layer(&sessions->store, session, snapshot->layer));
	out_text(&sessions->out, "%s%s%s  %s  %s%s%s%s\n", front, mark, snapshot->name, time, size,
		 snapshot->command[0] ? "  " : "", str_shown(snapshot->command),
		 str_equal(session->from, snapshot->name) ? "  <- here" : "");
}

// Children below their parent, the last one with a corner.
static void log_tree(struct sessions *sessions, const struct session *session, const char *parent,
		     const char *front, int depth)
{
	unsigned children = 0, seen = 0;
	for (unsigned i = 0; i < session->snapshot_count; i++)
		children += str_equal(session->snapshots[i].parent, parent);
	for (unsigned i = 0; i < session->snapshot_count && depth < SNAPSHOTS_MAX; i++) {
		const struct snapshot *snapshot = &session->snapshots[i];
		if (!str_equal(snapshot->parent, parent))
			continue;
		bool last = ++seen == children, alone = children == 1;
		log_line(sessions, session, snapshot, front, alone ? "" : last ? "`- " : "|- ");
		log_tree(sessions, session, snapshot->name,
			 arena_text(sessions->store.arena, "%s%s", front,
				    alone  ? ""
				    : last ? "   "
					   : "|  "),
			 depth + 1);
	}
}

static void log_dot(struct sessions *sessions, const struct session *session)
{
	out_text(&sessions->out,
		 "digraph session {\n\tnode [shape=box];\n\thost [label=\"%s\" shape=folder];\n",
		 "host");
	for (unsigned i = 0; i < session->snapshot_count; i++) {
		const struct snapshot *snapshot = &session->snapshots[i];
		char time[TIME_MAX];
		put_time(time, snapshot->time);
		out_text(&sessions->out, "\t\"%s\" [label=\"%s\\n%s\"];\n\t%s%s%s -> \"%s\";\n",
			 snapshot->name, snapshot->name, time, snapshot->parent[0] ? "\"" : "",
			 snapshot->parent[0] ? snapshot->parent : "host",
			 snapshot->parent[0] ? "\"" : "", snapshot->name);
	}
	out_text(&sessions->out, "\t\"here\" [shape=point];\n\t\"%s\" -> \"here\";\n}\n",
		 session->from[0] ? session->from : "host");
}

static void log_json(struct sessions *sessions, const struct session *session)
{
	struct out *out = &sessions->out;
	json_begin(out, "session-log");
	json_open(out, "snapshots", '[');
	for (unsigned i = 0; i < session->snapshot_count; i++) {
		const struct snapshot *snapshot = &session->snapshots[i];
		json_open(out, NULL, '{');
		json_string(out, "name", snapshot->name);
		json_string(out, "parent", snapshot->parent);
		json_number(out, "time", (unsigned long long)snapshot->time);
		uint64_t bytes = size_of_layer(&sessions->store, session, snapshot->layer);
		if (bytes != SIZE_UNKNOWN)
			json_number(out, "bytes", bytes);
		json_string(out, "command", str_shown(snapshot->command));
		json_flag(out, "here", str_equal(session->from, snapshot->name));
		json_close(out, '}');
	}
	json_close(out, ']');
	json_end(out);
}

int sessions_log(struct sessions *sessions, char **words)
{
	struct held held;
	TRY(store_hold(&sessions->store, words[0], HOLD_LOOK, &held));
	if (sessions->box->invocation.json == ANSWER_YES)
		log_json(sessions, &held.session);
	else if (sessions->box->invocation.dot == ANSWER_YES)
		log_dot(sessions, &held.session);
	else if (held.session.snapshot_count == 0)
		out_text(&sessions->notes,
			 "sbx: no snapshots; to make one: sbx session snapshot %s\n", held.name);
	else
		log_tree(sessions, &held.session, "", "", 0);
	return 0;
}
