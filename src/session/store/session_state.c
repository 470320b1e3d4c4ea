// Owns the format of a session's state (what is written is read back, and nothing else) and the
// moment it begins at.
#include "session/store/store.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "text/words.h"

static const char header[] = "sbx-session ";
enum { VERSION = 1 };
static const struct words_field project_fields[] = {
	WORDS_FIELD(WORDS_ABOVE, struct session, project),
	WORDS_FIELD(WORDS_NUMBER, struct session, identity.device),
	WORDS_FIELD(WORDS_NUMBER, struct session, identity.inode),
};
static const struct words_field times_fields[] = {
	WORDS_FIELD(WORDS_NUMBER, struct session, created),
	WORDS_FIELD(WORDS_TIME, struct session, base),
};

struct state_reader {
	struct arena *arena;
	struct session *session;
	unsigned line;
	const char *top; // id of the layer
};

static int damaged(const struct state_reader *reader)
{
	return fail(0, "line %u is damaged", reader->line);
}

static bool is_id(const char *text)
{
	return strlen(text) == LAYER_ID && strspn(text, "0123456789abcdef") == LAYER_ID;
}

// A snapshot's name, or none.
static bool is_reference(const char *text)
{
	return str_equal(text, "-") || session_is_name(text);
}

static int find_layer(const struct session *session, const char *id)
{
	for (unsigned i = session->layer_count; i-- > 0;)
		if (str_equal(session->layers[i].id, id))
			return (int)i;
	return -1;
}

static int read_project(struct state_reader *reader, char *at)
{
	reader->session->identity.type = S_IFDIR;
	return words_read(reader->arena, &at, project_fields, WORDS_COUNT(project_fields),
			  reader->session)
		       ? 0
		       : damaged(reader);
}

static int read_times(struct state_reader *reader, char *at)
{
	return words_read(reader->arena, &at, times_fields, WORDS_COUNT(times_fields),
			  reader->session)
		       ? 0
		       : damaged(reader);
}

static const struct {
	const char *name;
	bool own, system;
} root_kinds[] = {
	{ "host", false, false },
	{ "own", true, false },
	{ "system", false, true },
	{ "place", true, true },
};
enum { ROOT_KINDS = sizeof(root_kinds) / sizeof(*root_kinds) };

static const char *kind_of(const struct root *root)
{
	for (size_t i = 0; i < ROOT_KINDS; i++)
		if (root_kinds[i].own == root->own && root_kinds[i].system == root->system)
			return root_kinds[i].name;
	return NULL;
}

static int read_root(struct state_reader *reader, char *at)
{
	struct session *session = reader->session;
	const char *kind = words_next(reader->arena, &at),
		   *path = kind ? words_next(reader->arena, &at) : NULL;
	for (size_t i = 0;
	     path && path[0] == '/' && session->root_count < ROOTS_MAX && i < ROOT_KINDS; i++) {
		if (!str_equal(kind, root_kinds[i].name))
			continue;
		session->roots[session->root_count++] =
			(struct root){ path, root_kinds[i].own, root_kinds[i].system };
		return 0;
	}
	return damaged(reader);
}

// A parent stands before its children: there is no way to a loop.
static int read_layer(struct state_reader *reader, char *at)
{
	struct session *session = reader->session;
	const char *id = words_next(reader->arena, &at), *parent = words_next(reader->arena, &at);
	if (!id || !is_id(id) || !parent || session->layer_count == SESSION_LAYERS_MAX ||
	    find_layer(session, id) >= 0)
		return damaged(reader);
	int above = str_equal(parent, "-") ? -1 : find_layer(session, parent);
	if (above < 0 && !str_equal(parent, "-"))
		return damaged(reader);
	session->layers[session->layer_count++] = (struct layer){ id, above };
	return 0;
}

static int read_snapshot(struct state_reader *reader, char *at)
{
	struct session *session = reader->session;
	unsigned long long time;
	const char *name = words_next(reader->arena, &at), *id = words_next(reader->arena, &at);
	int layer = id ? find_layer(session, id) : -1;
	if (!name || !session_is_name(name) || layer < 0 ||
	    !words_number(reader->arena, &at, &time) || session->snapshot_count == SNAPSHOTS_MAX)
		return damaged(reader);
	const char *parent = words_next(reader->arena, &at),
		   *command = *at ? words_next(reader->arena, &at) : "";
	if (!parent || !is_reference(parent) || !command || *at)
		return damaged(reader);
	session->snapshots[session->snapshot_count++] =
		(struct snapshot){ name, (unsigned)layer, str_equal(parent, "-") ? "" : parent,
				   (int64_t)time, command };
	return 0;
}

static int read_top(struct state_reader *reader, char *at)
{
	const char *id = words_next(reader->arena, &at), *from = words_next(reader->arena, &at);
	int layer = id ? find_layer(reader->session, id) : -1;
	if (layer < 0 || !from || !is_reference(from) || reader->top)
		return damaged(reader);
	reader->session->top = (unsigned)layer;
	reader->session->from = str_equal(from, "-") ? "" : from;
	reader->top = id;
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct state_reader *reader, char *at);
} records[] = {
	{ "project ", read_project }, { "times ", read_times }, { "root ", read_root },
	{ "layer ", read_layer },     { "top ", read_top },     { "snapshot ", read_snapshot },
};

static int read_line(struct state_reader *reader, char *line)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
		if (str_starts(line, records[i].name))
			return records[i].read(reader, line + strlen(records[i].name));
	return damaged(reader);
}

int session_parse(struct arena *arena, const char *text, size_t length, struct session *ret_session)
{
	struct session session = { 0 };
	struct state_reader reader = { arena, &session, 1, NULL };
	char *end;
	TRY(words_open(arena, header, VERSION, text, length, SESSION_BYTES_MAX, &end));
	session.layers = arena_take(arena, SESSION_LAYERS_MAX * sizeof(*session.layers));
	session.snapshots = arena_take(arena, SNAPSHOTS_MAX * sizeof(*session.snapshots));
	for (char *line = words_line(&end); line; line = words_line(&end)) {
		reader.line++;
		TRY(read_line(&reader, line));
	}
	if (!session.project || !reader.top)
		return fail(0, "a line is missing");
	*ret_session = session;
	return 0;
}

void session_format(const struct session *session, struct out *out)
{
	out_text(out, "%s%d\n", header, VERSION);
	words_write(out, "project", project_fields, WORDS_COUNT(project_fields), session);
	words_write(out, "times", times_fields, WORDS_COUNT(times_fields), session);
	for (unsigned i = 0; i < session->root_count; i++) {
		out_text(out, "root %s ", kind_of(&session->roots[i]));
		words_put(out, session->roots[i].path);
		out_text(out, "\n");
	}
	for (unsigned i = 0; i < session->layer_count; i++) {
		const struct layer *layer = &session->layers[i];
		out_text(out, "layer %s %s\n", layer->id,
			 layer->parent < 0 ? "-" : session->layers[layer->parent].id);
	}
	out_text(out, "top %s %s\n", session->layers[session->top].id,
		 session->from[0] ? session->from : "-");
	for (unsigned i = 0; i < session->snapshot_count; i++) {
		const struct snapshot *snapshot = &session->snapshots[i];
		out_text(out, "snapshot %s %s %lld %s ", snapshot->name,
			 session->layers[snapshot->layer].id, (long long)snapshot->time,
			 snapshot->parent[0] ? snapshot->parent : "-");
		words_put(out, snapshot->command);
		out_text(out, "\n");
	}
	words_close(out);
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

// Not the coarse clock: what was written a moment ago may have a finer time than that. But files
// get the coarse one, which is behind: what is written from here on must be later than the moment.
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
