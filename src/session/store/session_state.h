// The state of a session as text: which layers it stands on, and which of them have names.
#pragma once

#include <stdint.h>
#include <time.h>

#include "plan.h"

struct arena;
struct out;

enum {
	SESSION_NAME_MAX = 64,
	SESSION_LAYERS_MAX = 4096,
	SNAPSHOTS_MAX = 4096,
	SESSION_BYTES_MAX = 8 << 20
};

// Frozen but for the session's top. Each is what changed against its parent.
struct layer {
	const char *id;
	int parent; // index, -1: the host's directories
};

struct snapshot {
	const char *name;
	unsigned layer;     // frozen
	const char *parent; // the snapshot that the session stood on then, or ""
	int64_t time;
	const char *command; // the last that ran before it, or ""
};

struct session {
	const char *project;
	struct identity identity; // of the project
	struct timespec base;     // what the host changes later is a conflict
	int64_t created;
	struct root roots[ROOTS_MAX]; // directories that are copy-on-write
	unsigned root_count;
	struct layer *layers;
	unsigned layer_count, top;
	const char *from; // the snapshot that the top stands on, or ""
	struct snapshot *snapshots;
	unsigned snapshot_count;
};

// "sbx-session 1", a line for each thing, and a checksum as the last line. Hostile input: bounded,
// no I/O. -1 with the reason: damaged, or written by a newer version.
int session_parse(struct arena *arena, const char *text, size_t length,
		  struct session *ret_session);
void session_format(const struct session *session, struct out *out);

// A name of a session or a snapshot: letters, digits, '.', '_', '-', not first '.' or '-'.
bool session_is_name(const char *name);

// Indexes of layers, top first, down to the host's directories. Returns how many, at most `most`.
unsigned session_chain(const struct session *session, unsigned top, unsigned *chain, unsigned most);

// The newest snapshot of that name, or NULL.
const struct snapshot *session_snapshot(const struct session *session, const char *name);

// The moment that a session begins at. Takes a tick of the clock (1 to 10 ms).
void state_begin(struct timespec *ret_now);
