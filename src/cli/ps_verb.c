// sbx ps: the caller's live runs, with --all also ended ones, in columns or as JSON.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "run/run_command.h"
#include "report/print_fields.h"
#include "cli/boxes.h"
#include "cli/verbs.h"

enum column { ID, AGE, STATUS, SESSION, PROJECT, MEMORY, CPU, DENIED, PORTS, COMMAND, COLUMNS };
static const char *const heads[COLUMNS] = { "ID",     "AGE", "STATUS", "SESSION", "PROJECT",
					    "MEMORY", "CPU", "DENIED", "PORTS",   "COMMAND" };
static const bool is_number[COLUMNS] = {
	[AGE] = true, [MEMORY] = true, [CPU] = true, [DENIED] = true
};
static const char running[] = "running";

static const char *visible(struct arena *arena, const char *text)
{
	struct out out = { 0 };
	if (!text[0])
		return "-";
	out_shown(&out, text);
	const char *copy = arena_copy(arena, out.text, out.used);
	out_free(&out);
	return copy;
}

static const char *age_text(struct arena *arena, uint64_t milliseconds)
{
	char text[32];
	units_age(text, sizeof(text), milliseconds);
	return arena_copy(arena, text, strlen(text));
}

static const char *size_text(struct arena *arena, uint64_t bytes)
{
	char text[32];
	units_rough(text, sizeof(text), bytes, UNIT_SIZE);
	return arena_copy(arena, text, strlen(text));
}

static const char *cpu_text(struct arena *arena, uint64_t microseconds)
{
	enum { EXACT_SECONDS = 100 };
	uint64_t hundredths = microseconds / 10000;
	return hundredths < EXACT_SECONDS * 100
		       ? arena_text(arena, "%u.%02us", (unsigned)hundredths / 100,
				    (unsigned)hundredths % 100)
		       : age_text(arena, microseconds / 1000);
}

static const char *ports_text(struct arena *arena, const struct record_ports *ports)
{
	const char *text = ports->count ? "" : "-";
	for (unsigned i = 0; i < ports->count; i++) {
		const struct record_port *port = &ports->all[i];
		const char *before = i ? "," : "";
		text = port->inside == port->outside
			       ? arena_text(arena, "%s%s%u", text, before, port->outside)
			       : arena_text(arena, "%s%s%u:%u", text, before, port->inside,
					    port->outside);
	}
	return text;
}

static void fill_row(struct arena *arena, const struct live_box *box, const char *row[COLUMNS])
{
	uint64_t memory, microseconds;
	bool used = boxes_usage(box, &memory, &microseconds);
	row[ID] = box->id;
	row[AGE] = age_text(arena, box->age);
	int status =
		box->end && str_equal(box->end, "signal") ? WTERMSIG(box->status) : box->status;
	row[STATUS] = !box->end          ? running
		      : box->status >= 0 ? arena_text(arena, "%s %d", box->end, status)
					 : box->end;
	row[SESSION] = visible(arena, box->entry.session);
	row[PROJECT] = visible(arena, box->entry.project);
	row[MEMORY] = used ? size_text(arena, memory) : "-";
	row[CPU] = used ? cpu_text(arena, microseconds) : "-";
	row[DENIED] = arena_text(arena, "%u", box->entry.denials);
	row[PORTS] = ports_text(arena, &box->entry.ports);
	row[COMMAND] = visible(arena, box->entry.command);
}

// Counts the bytes that begin a character.
static int width_of(const char *text)
{
	int width = 0;
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void put_row(struct out *out, const char *const row[COLUMNS], const int widths[COLUMNS])
{
	for (enum column i = 0; i < COLUMNS; i++) {
		int blanks = widths[i] - width_of(row[i]);
		if (widths[i] == 0)
			continue;
		if (i == COMMAND)
			out_text(out, "%s\n", row[i]);
		else if (is_number[i])
			out_text(out, "%*s%s  ", blanks, "", row[i]);
		else
			out_text(out, "%s%*s  ", row[i], blanks, "");
	}
}

static void show_words(struct arena *arena, const struct boxes *boxes, enum boxes_which which,
		       struct out *out)
{
	int widths[COLUMNS];
	const char *(*rows)[COLUMNS] = arena_take(arena, (boxes->count + 1) * sizeof(*rows));
	memcpy(rows[0], heads, sizeof(heads));
	for (unsigned i = 0; i < boxes->count; i++)
		fill_row(arena, &boxes->all[i], rows[i + 1]);
	for (enum column i = 0; i < COLUMNS; i++) {
		widths[i] = 0;
		for (unsigned row = 0; row <= boxes->count; row++)
			if (width_of(rows[row][i]) > widths[i])
				widths[i] = width_of(rows[row][i]);
	}
	widths[STATUS] = which == BOXES_ALL ? widths[STATUS] : 0;
	for (unsigned row = 0; row <= boxes->count; row++)
		put_row(out, rows[row], widths);
}

static void put_json(struct out *out, const struct live_box *box)
{
	static const char *const networks[] = {
		[RECORD_NONE] = "none", [RECORD_HOST] = "host", [RECORD_PROXY] = "proxy"
	};
	uint64_t memory = 0, microseconds = 0;
	bool used = boxes_usage(box, &memory, &microseconds);
	const struct record_entry *entry = &box->entry;
	print_open(out, NULL, '{');
	print_members(out, MEMBER("id", box->id), MEMBER_NUMBER("age_ms", box->age),
		      MEMBER("command", entry->command), MEMBER("end", box->end),
		      NUMBER_IF(box->end && box->status >= 0, "status", (unsigned)box->status),
		      MEMBER("session", entry->session[0] ? entry->session : NULL),
		      MEMBER("project", entry->project[0] ? entry->project : NULL),
		      NUMBER_IF(used, "memory_bytes", memory),
		      NUMBER_IF(used, "cpu_ms", microseconds / 1000),
		      MEMBER("network", box->other ? NULL : networks[entry->network]),
		      MEMBER_NUMBER("denials", box->entry.denials));
	boxes_put_ports(out, &box->entry.ports);
	print_members(out, MEMBER_FLAG("here", box->run > 0 || box->end));
	print_close(out, '}');
}

static void show_json(const struct boxes *boxes, struct out *out)
{
	out->json = true;
	print_begin(out, "boxes", "boxes");
	for (unsigned i = 0; i < boxes->count; i++)
		put_json(out, &boxes->all[i]);
	print_end(out, "boxes");
}

static bool has_end(const struct live_box *box, const char *value)
{
	return str_equal(box->end ? box->end : running, value);
}

static bool has_session(const struct live_box *box, const char *value)
{
	return str_equal(box->entry.session, value);
}

static bool has_project(const struct live_box *box, const char *value)
{
	char real[PATH_MAX];
	return box->entry.project[0] &&
	       path_within(box->entry.project, realpath(value, real) ? real : value);
}

static bool has_command(const struct live_box *box, const char *value)
{
	return strstr(box->entry.command, value);
}

static const struct row_filter {
	const char *key;
	bool (*passes)(const struct live_box *box, const char *value);
} filters[] = {
	{ "status=", has_end },
	{ "session=", has_session },
	{ "project=", has_project },
	{ "command=", has_command },
};
enum { FILTERS = sizeof(filters) / sizeof(*filters) };

static const struct row_filter *filter_of(const char *text)
{
	const struct row_filter *filter = filters;
	while (filter < filters + FILTERS && !str_starts(text, filter->key))
		filter++;
	return filter < filters + FILTERS ? filter : NULL;
}

static bool is_end(const char *value)
{
	bool known = str_equal(value, running) || str_equal(value, "ending") ||
		     str_equal(value, "unknown");
	for (enum record_end end = RECORD_EXIT; end < RECORD_ENDS; end++)
		known = known || str_equal(value, record_ends[end]);
	return known;
}

// Each filter must match. A filter by status includes ended runs.
static int read_filters(const struct list *wanted, enum boxes_which *which)
{
	list_each (item, wanted) {
		const struct row_filter *filter = filter_of(item->text);
		if (!filter)
			return fail(0,
				    "--filter: unknown '%.40s'; use: status=, session=, project= "
				    "or command=",
				    str_shown(item->text));
		if (filter->passes != has_end)
			continue;
		if (!is_end(item->text + strlen(filter->key)))
			return fail(0,
				    "--filter: unknown '%.40s'; use: running, exit, signal, limit, "
				    "failed, ending or unknown",
				    str_shown(item->text));
		*which = BOXES_ALL;
	}
	return 0;
}

static void keep_those(const struct list *wanted, struct boxes *boxes)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < boxes->count; i++) {
		bool passes = true;
		list_each (item, wanted) {
			const struct row_filter *filter = filter_of(item->text);
			passes = passes &&
				 filter->passes(&boxes->all[i], item->text + strlen(filter->key));
		}
		boxes->all[kept] = boxes->all[i];
		kept += passes;
	}
	boxes->count = kept;
}

static int list(const struct box *box, struct out *out)
{
	struct boxes boxes;
	const struct list *wanted = &box->invocation.filters;
	enum boxes_which which = box->invocation.all == TOGGLE_YES ? BOXES_ALL : BOXES_LIVE;
	if (box->arguments.rest[0])
		return fail(0, "usage: sbx %s", verb_rows[ROW_PS].synopsis);
	TRY(read_filters(wanted, &which));
	TRY(boxes_list(arena_new_of(BOXES_BYTES), which, &boxes));
	keep_those(wanted, &boxes);
	if (box->invocation.json == TOGGLE_YES)
		show_json(&boxes, out);
	else
		show_words(arena_new_of(BOXES_BYTES), &boxes, which, out);
	return 0;
}

int verb_ps(char **words)
{
	struct box *box = box_new();
	struct out out = { 0 };
	return box_read(box, VERB_PS, words) < 0 ? box_failed() : box_done(&out, list(box, &out));
}
