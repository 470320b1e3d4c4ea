// Owns the format of a session's state, the paths of its layers, and the time of its begin.
#include "session/store/store.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "text/words.h"

static const char header[] = "sbx-session ";
enum { VERSION = 1 };

struct state_line {
	struct session session;
	const char *name, *id, *parent, *path, *command;
	int64_t time;
	bool topped;
};
#define FIELD(form, member) WORDS_FIELD(form, struct state_line, member)
static const struct words_field
	project_fields[] = { FIELD(WORDS_ABOVE, session.project),
			     FIELD(WORDS_NUMBER, session.identity.device),
			     FIELD(WORDS_NUMBER, session.identity.inode) },
	times_fields[] = { FIELD(WORDS_NUMBER, session.created), FIELD(WORDS_TIME, session.base) },
	root_fields[] = { FIELD(WORDS_TEXT, name), FIELD(WORDS_ABOVE, path) },
	layer_fields[] = { FIELD(WORDS_TEXT, id), FIELD(WORDS_TEXT, parent) },
	top_fields[] = { FIELD(WORDS_TEXT, id), FIELD(WORDS_TEXT, name) },
	snapshot_fields[] = { FIELD(WORDS_TEXT, name), FIELD(WORDS_TEXT, id),
			      FIELD(WORDS_NUMBER, time), FIELD(WORDS_TEXT, parent),
			      FIELD(WORDS_LAST, command) };

enum state_kind { LINE_PROJECT, LINE_TIMES, LINE_ROOT, LINE_LAYER, LINE_TOP, LINE_SNAPSHOT, LINES };
static const struct words_kind lines[] = {
	[LINE_PROJECT] = WORDS_KIND("project", project_fields),
	[LINE_TIMES] = WORDS_KIND("times", times_fields),
	[LINE_ROOT] = WORDS_KIND("root", root_fields),
	[LINE_LAYER] = WORDS_KIND("layer", layer_fields),
	[LINE_TOP] = WORDS_KIND("top", top_fields),
	[LINE_SNAPSHOT] = WORDS_KIND("snapshot", snapshot_fields),
};

static const char *const root_kinds[] = { "host", "own", "system", "place" };

static bool is_id(const char *text)
{
	return strlen(text) == LAYER_ID && strspn(text, "0123456789abcdef") == LAYER_ID;
}

static bool is_reference(const char *text)
{
	return str_equal(text, "-") || session_is_name(text);
}

static const char *name_of(const char *text)
{
	return str_equal(text, "-") ? "" : text;
}

static const char *word_of(const char *name)
{
	return name[0] ? name : "-";
}

static int find_layer(const struct session *session, const char *id)
{
	for (unsigned i = session->layer_count; i-- > 0;)
		if (str_equal(session->layers[i].id, id))
			return (int)i;
	return -1;
}

static bool take_root(struct session *session, const struct state_line *line)
{
	for (unsigned i = 0; session->root_count < ROOTS_MAX && i < 4; i++)
		if (str_equal(line->name, root_kinds[i])) {
			session->roots[session->root_count++] =
				(struct root){ line->path, (i & 1) != 0, (i & 2) != 0 };
			return true;
		}
	return false;
}

// A parent must precede its children, which excludes loops.
static bool take_layer(struct session *session, const struct state_line *line)
{
	int parent = find_layer(session, line->parent);
	if (!is_id(line->id) || (parent < 0 && !str_equal(line->parent, "-")) ||
	    session->layer_count == SESSION_LAYERS_MAX || find_layer(session, line->id) >= 0)
		return false;
	session->layers[session->layer_count++] = (struct layer){ line->id, parent };
	return true;
}

static bool take_snapshot(struct session *session, const struct state_line *line)
{
	int layer = find_layer(session, line->id);
	if (!session_is_name(line->name) || layer < 0 || !is_reference(line->parent) ||
	    session->snapshot_count == SNAPSHOTS_MAX)
		return false;
	session->snapshots[session->snapshot_count++] =
		(struct snapshot){ line->name, (unsigned)layer, name_of(line->parent), line->time,
				   line->command };
	return true;
}

static bool take_top(struct session *session, struct state_line *line)
{
	int layer = find_layer(session, line->id);
	if (layer < 0 || !is_reference(line->name) || line->topped)
		return false;
	session->top = (unsigned)layer;
	session->from = name_of(line->name);
	return line->topped = true;
}

int session_parse(struct arena *arena, const char *text, size_t length, struct session *ret_session)
{
	struct state_line line = { .session.identity.type = S_IFDIR };
	struct session *session = &line.session;
	unsigned number = 1;
	char *end;
	TRY(words_open(arena, header, VERSION, text, length, SESSION_BYTES_MAX, &end));
	session->layers = arena_take(arena, SESSION_LAYERS_MAX * sizeof(*session->layers));
	session->snapshots = arena_take(arena, SNAPSHOTS_MAX * sizeof(*session->snapshots));
	for (char *at = words_line(&end); at; at = words_line(&end)) {
		int kind = words_read_kind(arena, at, lines, LINES, &line);
		number++;
		if (kind < 0 || (kind == LINE_ROOT && !take_root(session, &line)) ||
		    (kind == LINE_LAYER && !take_layer(session, &line)) ||
		    (kind == LINE_TOP && !take_top(session, &line)) ||
		    (kind == LINE_SNAPSHOT && !take_snapshot(session, &line)))
			return fail(0, "line %u is damaged", number);
	}
	if (!session->project || !line.topped)
		return fail(0, "a line is missing");
	*ret_session = *session;
	return 0;
}

static void mark(const struct session *session, unsigned layer, bool *used)
{
	for (int at = (int)layer; at >= 0; at = session->layers[at].parent)
		used[at] = true;
}

// Writes the state, without layers that no snapshot leads to.
void session_format(const struct session *session, struct out *out)
{
	struct state_line line = { .session = *session };
	const struct layer *layers = session->layers;
	bool used[SESSION_LAYERS_MAX] = { false };
	mark(session, session->top, used);
	for (unsigned i = 0; i < session->snapshot_count; i++)
		mark(session, session->snapshots[i].layer, used);
	out_text(out, "%s%d\n", header, VERSION);
	words_write_kind(out, &lines[LINE_PROJECT], &line);
	words_write_kind(out, &lines[LINE_TIMES], &line);
	for (const struct root *root = session->roots; root < session->roots + session->root_count;
	     root++) {
		line.name = root_kinds[root->own + 2 * root->system];
		line.path = root->path;
		words_write_kind(out, &lines[LINE_ROOT], &line);
	}
	for (unsigned i = 0; i < session->layer_count; i++) {
		if (!used[i])
			continue;
		line.id = layers[i].id;
		line.parent = layers[i].parent < 0 ? "-" : layers[layers[i].parent].id;
		words_write_kind(out, &lines[LINE_LAYER], &line);
	}
	line.id = layers[session->top].id;
	line.name = word_of(session->from);
	words_write_kind(out, &lines[LINE_TOP], &line);
	for (unsigned i = 0; i < session->snapshot_count; i++) {
		const struct snapshot *snapshot = &session->snapshots[i];
		line.name = snapshot->name;
		line.id = layers[snapshot->layer].id;
		line.time = snapshot->time;
		line.parent = word_of(snapshot->parent);
		line.command = snapshot->command;
		words_write_kind(out, &lines[LINE_SNAPSHOT], &line);
	}
	words_close(out);
}

void place_of_root(char text[PLACE_MAX], const char *id, bool own, unsigned root)
{
	snprintf(text, PLACE_MAX, own ? "%s/" PLACE_OWN "/%u" : "%s/%u", id, root);
}

void place_of_work(char text[PLACE_MAX], const char *id, bool own, unsigned root)
{
	if (own)
		snprintf(text, PLACE_MAX, "%s/w" PLACE_OWN, id);
	else
		snprintf(text, PLACE_MAX, "%s/w%u", id, root);
}

bool session_is_name(const char *name)
{
	size_t length = strlen(name);
	return length > 0 && length <= SESSION_NAME_MAX && name[0] != '.' && name[0] != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
		       length;
}

unsigned session_chain(const struct session *session, unsigned top, unsigned *chain, unsigned most)
{
	unsigned count = 0;
	for (int at = (int)top; at >= 0 && count < most; at = session->layers[at].parent)
		chain[count++] = (unsigned)at;
	return count;
}

const struct snapshot *session_snapshot(const struct session *session, const char *name)
{
	for (unsigned i = session->snapshot_count; i-- > 0;)
		if (str_equal(session->snapshots[i].name, name))
			return &session->snapshots[i];
	return NULL;
}

// Waits until the lagging clock of file times has passed the present: later writes then have a
// later time.
void state_begin(struct timespec *ret_now)
{
	static const struct timespec pause = { 0, 500000 };
	struct timespec coarse;
	clock_gettime(CLOCK_REALTIME, ret_now);
	do {
		nanosleep(&pause, NULL);
		clock_gettime(CLOCK_REALTIME_COARSE, &coarse);
	} while (coarse.tv_sec == ret_now->tv_sec && coarse.tv_nsec <= ret_now->tv_nsec);
}
