// Where sessions live: STATE/sessions/NAME with its state and locks, STATE/layers/ID with what was
// written. Both belong to the caller alone; a session is changed by one process at a time.
//
// The room session/store owns sessions on disk: layers, snapshots, locks, and the form of their
// files. Uses: base git nouns text. Begin with store.h.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/owned.h"
#include "session/store/session_state.h"

struct arena;
struct session;

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

#define STORE_FRESH ".new-" // sessions that are made or removed, while store_share() holds

// Makes the directories when they are missing.
int store_open(struct arena *arena, const char *state, struct store *ret_store);
void store_close(struct store *store);

// Waits for a process that changes the session, who wants it alone for 5 s; that one is refused at
// once while commands run in it. -1: no such session, a damaged state, or one of a newer version.
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

// The acts on a session between commands: freezing its top, going back, going two ways.

// "NAME" or "NAME@SNAPSHOT" taken apart; snapshot NULL without one.
struct reference {
	const char *session, *snapshot;
};
int history_refer(struct arena *arena, const char *text, struct reference *ret_reference);

// A session over the project, with nothing written in it. As root: the system's directories are
// its own as well.
enum rights { RIGHTS_CALLER, RIGHTS_ROOT };
int history_create(struct store *store, const char *name, const char *project, enum rights rights);

// Freezes the top under a name (NULL: the next of s1, s2, ...), in time that does not depend on
// what it holds; every tenth flattens. The session is held alone, as for the next two.
int history_snapshot(struct store *store, struct held *held, const char *name,
		     const char **ret_name);

// The session as it was then. What would be lost is kept as a snapshot; its name, or NULL.
int history_restore(struct store *store, struct held *held, const char *name,
		    const char **ret_kept);

// A separate session on the same frozen layers; without a snapshot it is made now.
int history_fork(struct store *store, const struct reference *from, const char *name);

int history_forget(struct store *store, struct held *held, const char *snapshot);

// Starts over from the host's directories; the snapshots stay.
int history_discard(struct store *store, struct held *held);

// How much a session takes.

// Bytes on the disk: of a layer, of all layers of the session. Walks them. What cannot be walked,
// because it is too deep, counts as SIZE_UNKNOWN.
#define SIZE_UNKNOWN OWNED_SIZE_UNKNOWN
uint64_t size_of_layer(const struct store *store, const struct session *session, unsigned layer);
uint64_t size_of_session(const struct store *store, const struct session *session);

// What a session as root begins with.

// The directories of the system that become its own.
void skeleton_roots(struct session *session);

// Into the fresh layer: for an ordinary caller every directory of theirs, so that it is the
// caller's, and the files of /etc and the package database that are written in place. apt is set
// to do without an own user.
int skeleton_make(struct store *store, const struct session *session);

// Many layers made one, so that looking a name up stays cheap.

// Merges the layer *frozen and those below it that are small, or when there are none all of them,
// into a new one, by links: no byte is copied. *frozen becomes the new layer. What it takes
// depends on the small layers alone, and that is bounded, but for the rare merge of all.
int flatten_chain(struct store *store, struct session *session, unsigned *frozen);

// Copies of files with all that belongs to them.

// One file, symlink, FIFO or empty directory, as `name` in the directory `to`, which has none of
// that name. Kept: bytes, holes, mode (but setuid and setgid), times, user's attributes, owner
// where we may. A directory gets 0700 until copy_finish(). An ACL is not copied: the mode is then
// one that gives nobody more, and rights_copy() does the rest. -1: failed.
enum copied { COPIED, COPIED_NO_ACL, COPIED_NOT }; // not: a socket or a device
int copy_one(int from, const char *source, const struct stat *status, int to, const char *name);

// Mode and times of a directory whose content is complete.
int copy_finish(int to, const char *name, const struct stat *status);

// Attributes of the user's own, without those of overlayfs. 1: there is an ACL, too.
int copy_attributes(int from, int to);

// Whether two files hold the same bytes, from where they are read.
bool copy_is_same(int left, int right);
