// Owns the history of a session: a tree of frozen layers, each named by its snapshot.
#include "session/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum { FLATTEN_AT = 10, COMMAND_MAX = 256 };

int history_refer(struct arena *arena, const char *text, struct reference *ret_reference)
{
	const char *at = strchr(text, '@');
	struct reference reference = { text, NULL };
	if (at) {
		reference.session = arena_copy(arena, text, (size_t)(at - text));
		reference.snapshot = at + 1;
	}
	if (!session_is_name(reference.session) || (at && !session_is_name(reference.snapshot)))
		return fail(0,
			    "'%.80s' is not a valid SESSION or SESSION@SNAPSHOT: letters, digits, "
			    "'.', '_' and '-', not first '.' or '-'",
			    str_shown(text));
	*ret_reference = reference;
	return 0;
}

static int find(const struct held *held, const char *name, const struct snapshot **ret_snapshot)
{
	*ret_snapshot = session_snapshot(&held->session, name);
	return *ret_snapshot
		       ? 0
		       : fail(0,
			      "session '%s' has no snapshot '%s'; to see them: sbx session log %s",
			      held->name, name, held->name);
}

int history_create(struct store *store, const char *name, const char *project, enum rights rights)
{
	struct session session;
	TRY(store_begin(store, project, &session));
	if (rights == RIGHTS_ROOT)
		skeleton_roots(&session);
	TRY(store_add_layer(store, &session, -1));
	if (rights == RIGHTS_ROOT && skeleton_make(store, &session) < 0) {
		store_sweep(store);
		return -1;
	}
	autoclose int directory = store_create(store, name, &session);
	TRY(directory);
	return seen_write(directory, SEEN_PROJECT, project);
}

static bool is_empty_directory(int directory, const char *name)
{
	autoclose int fd = fd_directory(directory, name);
	struct entry_stream entries = { .fd = fd, .left = 1 };
	return fd >= 0 && !entries_next(&entries);
}

// Whether the top layer is empty.
static bool is_unchanged(const struct held *held)
{
	const struct session *session = &held->session;
	char place[PLACE_MAX];
	for (unsigned i = 0; i < session->root_count; i++) {
		place_of_root(place, session->layers[session->top].id, session->roots[i].own, i);
		if (!is_empty_directory(held->store->layers, place))
			return false;
	}
	return true;
}

static const char *next_name(const struct held *held, const char *prefix)
{
	for (unsigned number = 1;; number++) {
		const char *name = arena_text(held->store->arena, "%s%u", prefix, number);
		if (!session_snapshot(&held->session, name))
			return name;
	}
}

static const char *last_command(const struct held *held)
{
	const char *text;
	size_t length;
	int found = ATTEMPT(store_read_file(held->store->arena, held->directory, "command",
					    COMMAND_MAX, &text, &length));
	return found < 0 ? "" : arena_copy(held->store->arena, text, strnlen(text, length));
}

static int freeze(struct held *held, const char *name)
{
	struct session *session = &held->session;
	struct timespec now;
	unsigned chain[FLATTEN_AT + 2];
	if (session->snapshot_count == SNAPSHOTS_MAX)
		return fail(0, "more than %d snapshots; remove some: sbx session rm %s@SNAPSHOT",
			    SNAPSHOTS_MAX, held->name);
	unsigned frozen = session->top;
	bool unchanged = session->layers[frozen].parent >= 0 && is_unchanged(held);
	if (unchanged)
		frozen = (unsigned)session->layers[frozen].parent;
	else if (session_chain(session, frozen, chain, FLATTEN_AT + 2) > FLATTEN_AT)
		TRY(flatten_chain(held, &frozen));
	if (!unchanged)
		TRY(store_add_layer(held->store, session, (int)frozen));
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	session->snapshots[session->snapshot_count++] =
		(struct snapshot){ name, frozen, session->from, now.tv_sec, last_command(held) };
	session->from = name;
	return 0;
}

int history_snapshot(struct held *held, const char *name, const char **ret_name)
{
	if (!name)
		name = next_name(held, "s");
	if (!session_is_name(name))
		return fail(0, "'%.80s' is not a valid name of a snapshot", str_shown(name));
	if (session_snapshot(&held->session, name))
		return fail(0, "session '%s' has a snapshot '%s' already", held->name, name);
	TRY(freeze(held, name));
	TRY(store_save(held));
	*ret_name = name;
	return 0;
}

int history_restore(struct held *held, const char *name, const char **ret_kept)
{
	struct session *session = &held->session;
	const struct snapshot *snapshot;
	*ret_kept = NULL;
	TRY(find(held, name, &snapshot));
	if (!is_unchanged(held)) {
		*ret_kept = next_name(held, "before-restore-");
		TRY(freeze(held, *ret_kept));
		TRY(find(held, name, &snapshot));
	}
	session->from = name;
	TRY(store_add_layer(held->store, session, (int)snapshot->layer));
	return store_save(held);
}

// Links a file into a fork: such files are replaced, never written in place.
static int share_file(const struct held *from, int to, const char *name)
{
	return linkat(from->directory, name, to, name, 0) < 0 && errno != ENOENT
		       ? fail(errno, "link '%s' of a session", name)
		       : 0;
}

static int share_known(const struct held *from, int to)
{
	char seen[SEEN_NAME];
	TRY(share_file(from, to, "known"));
	for (unsigned i = 0; i <= from->session.root_count; i++) {
		seen_name(seen, i < from->session.root_count ? i : SEEN_PROJECT);
		TRY(share_file(from, to, seen));
	}
	return 0;
}

// Keeps the snapshots that `name` is based on. A parent precedes its children in the list.
static void keep_ancestors(struct arena *arena, struct session *session, const char *name)
{
	unsigned first = session->snapshot_count;
	struct snapshot *kept = arena_take(arena, SNAPSHOTS_MAX * sizeof(*kept));
	for (unsigned i = session->snapshot_count; i-- > 0;)
		if (str_equal(session->snapshots[i].name, name)) {
			kept[--first] = session->snapshots[i];
			name = kept[first].parent;
		}
	session->snapshot_count -= first;
	session->snapshots = kept + first;
}

int history_fork(struct store *store, const struct reference *from, const char *name)
{
	struct held held;
	const struct snapshot *snapshot;
	const char *made = from->snapshot;
	TRY(store_share(store));
	TRY(store_hold(store, from->session, made ? HOLD_LOOK : HOLD_ALONE, &held));
	if (!made)
		TRY(history_snapshot(&held, NULL, &made));
	TRY(find(&held, made, &snapshot));
	struct session session = held.session;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	session.created = now.tv_sec;
	session.from = made;
	TRY(store_add_layer(store, &session, (int)snapshot->layer));
	keep_ancestors(store->arena, &session, made);
	autoclose int directory = store_create(store, name, &session);
	TRY(directory);
	TRY(share_known(&held, directory));
	store_release(&held);
	return 0;
}

int history_forget(struct held *held, const char *name)
{
	struct session *session = &held->session;
	const struct snapshot *snapshot;
	TRY(find(held, name, &snapshot));
	const char *parent = snapshot->parent;
	for (unsigned i = 0; i < session->snapshot_count; i++)
		if (str_equal(session->snapshots[i].parent, name))
			session->snapshots[i].parent = parent;
	if (str_equal(session->from, name))
		session->from = parent;
	memmove(&session->snapshots[snapshot - session->snapshots], snapshot + 1,
		(size_t)(session->snapshots + session->snapshot_count - snapshot - 1) *
			sizeof(*snapshot));
	session->snapshot_count--;
	return store_save(held);
}

static void look_again(const struct held *held, unsigned root, const char *path)
{
	char name[SEEN_NAME];
	seen_name(name, root);
	unlinkat(held->directory, name, 0);
	(void)ATTEMPT(seen_write(held->directory, root, path));
}

int history_discard(struct held *held)
{
	struct session *session = &held->session;
	session->from = "";
	state_begin(&session->base);
	TRY(store_add_layer(held->store, session, -1));
	TRY(store_save(held));
	unlinkat(held->directory, "known", 0);
	session_roots_each (i, session)
		look_again(held, i, session->roots[i].path);
	look_again(held, SEEN_PROJECT, session->project);
	return 0;
}
