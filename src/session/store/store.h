// Where sessions live: STATE/sessions/NAME with its state and locks, STATE/layers/ID with what was
// written. Both belong to the caller alone; a session is changed by one process at a time.
//
// The room session/store owns sessions on disk: layers, snapshots, locks, and the form of their
// files. Uses: base git nouns text. Begin with store.h.
#pragma once

#include "session/store/session_state.h"

struct arena;

struct store {
	struct arena *arena;
	const char *state;         // ~/.local/state/sbx
	const char *home, *config; // of the caller: ~ and ~/.config; for changes_find() alone
	const char *sessions_path, *layers_path;
	int sessions, layers; // directories
	int rights;           // a socket, see rights.h; 0: none
	int guard; // flock: shared while a layer is made, alone while unused ones are removed
};

struct held {
	const char *name;
	int directory, lock;
	struct session session;
};

enum hold {
	HOLD_LOOK,   // without a lock: what is read was true a moment ago
	HOLD_SHARED, // commands may run, nothing is frozen or applied
	HOLD_ALONE,  // no command runs, nobody else looks
};

// Makes the directories when they are missing.
int store_open(struct arena *arena, const char *state, struct store *ret_store);
void store_close(struct store *store);

// Waits for a process that changes the session; who wants it alone is refused while commands run in
// it. -1: no such session, a damaged state, or one of a newer version.
int store_hold(struct store *store, const char *name, enum hold hold, struct held *ret_held);
void store_release(struct held *held);

// Replaces the state as a whole: after a crash it is the old or the new one.
int store_save(const struct store *store, const struct held *held);

// The fields of a session over the project that begins now; the caller adds roots and layers.
int store_begin(struct store *store, const char *project, struct session *ret_session);

// A fresh top above the layer `parent` (-1: above the host's directories), with directories for
// the session's roots.
int store_add_layer(struct store *store, struct session *session, int parent);

// Until the end of this process no layer is removed by others.
int store_share(struct store *store);

// Directories of roots `from` and on in the layer `id`.
int store_add_roots(const struct store *store, const char *id, const struct root *roots,
		    unsigned from, unsigned count);

// The whole session or none; EEXIST stays EEXIST.
int store_create(struct store *store, const char *name, const struct session *session);
int store_remove(struct store *store, struct held *held);

// Removes layers that no session stands on, and what crashes left. Returns how many, or -1.
int store_sweep(struct store *store);

// Calls `each` for every session's name, sorted.
int store_each(struct store *store, int (*each)(void *context, const char *name), void *context);

// 1; 0 when there is no such file; -1 with the error said.
int store_read_file(struct arena *arena, int directory, const char *name, size_t most,
		    const char **ret_text, size_t *ret_length);
int store_replace_file(int directory, const char *name, const char *text, size_t length);
