// Where sessions live: STATE/sessions/NAME with its state and locks, STATE/layers/ID with what was
// written. Both belong to the caller alone; a session is changed by one process at a time.
//
// The room session/store owns sessions on disk: layers, snapshots, locks, and the form of their
// files. Uses: base boxes git nouns text. Begin with store.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "base/fd.h"
#include "boxes/record.h"
#include "plan.h"

enum {
	SESSION_NAME_MAX = 64,
	SESSION_LAYERS_MAX = 4096,
	SNAPSHOTS_MAX = 4096,
	SESSION_BYTES_MAX = 8 << 20
};

// Frozen but for the top; what changed against its parent.
struct layer {
	const char *id;
	int parent; // -1: the host's directories
};

struct snapshot {
	const char *name;
	unsigned layer;
	const char *parent; // the snapshot below, or ""
	int64_t time;
	const char *command; // the last that ran before, or ""
};

struct session {
	const char *project;
	struct identity identity;
	struct timespec base; // what the host changes later is a conflict
	int64_t created;
	struct root roots[ROOTS_MAX]; // copy-on-write directories
	unsigned root_count;
	struct layer *layers;
	unsigned layer_count, top;
	const char *from; // the snapshot below the top, or ""
	struct snapshot *snapshots;
	unsigned snapshot_count;
};

// Each that lies over a directory of the host's whose changes can be applied.
#define session_roots_each(index, session)                                                         \
	for (unsigned index = 0; index < (session)->root_count; index++)                           \
		if (!(session)->roots[index].own && !(session)->roots[index].system)

// Hostile input: bounded, no I/O. -1: damaged, or of a newer version.
int session_parse(struct arena *arena, const char *text, size_t length,
		  struct session *ret_session);
void session_format(const struct session *session, struct out *out);

// Letters, digits, '.', '_', '-', not first '.' or '-'.
bool session_is_name(const char *name);

// Top first.
unsigned session_chain(const struct session *session, unsigned top, unsigned *chain, unsigned most);

// The newest of that name.
const struct snapshot *session_snapshot(const struct session *session, const char *name);

// The moment that a session begins at. Takes a tick of the clock, 1 to 10 ms.
void state_begin(struct timespec *ret_now);

struct store {
	struct arena *arena;
	const char *state;
	const char *home, *config; // for changes_find()
	const char *sessions_path, *layers_path;
	int sessions, layers;
	int rights; // rights_begin(); 0: none
	int guard;  // flock: shared while a layer is made
};

struct held {
	struct store *store;
	const char *name;
	int directory, lock;
	struct session session;
};

enum hold {
	HOLD_LOOK,   // without a lock
	HOLD_SHARED, // nothing is frozen or applied
	HOLD_ALONE,  // no command runs
};

#define STORE_FRESH ".new-" // while store_share() holds

int store_open(struct arena *arena, const char *state, struct store *ret_store);
void store_close(struct store *store);

// Waits for a process that changes it, HOLD_ALONE for 5 s; it is refused while commands run.
int store_hold(struct store *store, const char *name, enum hold hold, struct held *ret_held);
void store_release(struct held *held);

// After a crash it is the old or the new one.
int store_save(const struct held *held);

// The caller adds roots and layers.
int store_begin(struct store *store, const char *project, struct session *ret_session);

// -1: above the host's directories.
int store_add_layer(struct store *store, struct session *session, int parent);

// No layer is removed by others until this process ends.
int store_share(struct store *store);

int store_add_roots(const struct store *store, const char *id, const struct root *roots,
		    unsigned from, unsigned count);

// The whole session or none.
int store_create(struct store *store, const char *name, const struct session *session);
int store_remove(struct held *held);

// Unused layers, and what crashes left.
int store_sweep(struct store *store);

// Sorted.
int store_names(struct store *store, char ***ret_names);

// 0: there is none.
int store_read_file(struct arena *arena, int directory, const char *name, size_t most,
		    const char **ret_text, size_t *ret_length);

// A list of the host's files: -1, and the way out is said.
int store_unusable(const struct held *held, const char *name);

struct reference {
	const char *session, *snapshot;
};
int history_refer(struct arena *arena, const char *text, struct reference *ret_reference);

// As root: the system's directories are its own.
enum rights { RIGHTS_CALLER, RIGHTS_ROOT };
int history_create(struct store *store, const char *name, const char *project, enum rights rights);

// NULL: the next of s1, s2, ... Every tenth flattens. Held alone, as for the next two.
int history_snapshot(struct held *held, const char *name, const char **ret_name);

// What would be lost is kept as a snapshot; its name, or NULL.
int history_restore(struct held *held, const char *name, const char **ret_kept);

// Without a snapshot it is made now.
int history_fork(struct store *store, const struct reference *from, const char *name);

int history_forget(struct held *held, const char *snapshot);

// The snapshots stay.
int history_discard(struct held *held);

// Walks them; SIZE_UNKNOWN: too deep.
#define SIZE_UNKNOWN OWNED_SIZE_UNKNOWN
uint64_t size_of_layer(const struct held *held, unsigned layer);
uint64_t size_of_session(const struct held *held);

void skeleton_roots(struct session *session);

// For an ordinary caller every directory of theirs, and the files of /etc and the package database
// that are written in place. apt gets no separate user.
int skeleton_make(struct store *store, const struct session *session);

// A look-up stays cheap.

// *frozen and small ones below it, or all, into a new one, by links. *frozen becomes it.
int flatten_chain(struct held *held, unsigned *frozen);

// File, symlink, FIFO or empty directory. Kept: bytes, holes, mode (but setuid and setgid), times,
// attributes, owner where we may. A directory gets 0700 until copy_finish().
enum copied { COPIED, COPIED_NO_ACL, COPIED_NOT }; // not: a socket or a device
int copy_one(int from, const char *source, const struct stat *status, int to, const char *name);

int copy_finish(int to, const char *name, const struct stat *status);

// Without those of overlayfs. 1: there is an ACL; without it *mode is for the owner alone.
int copy_attributes(int from, int to, mode_t *mode);

// Whether two files, each of a name in a directory, hold the same bytes.
bool copy_is_same(int above, const char *name, int other_above, const char *other_name);

// acl(5), as the host's tools would leave them. Forks a process with the caller's own ids: a user
// namespace with one id cannot name others. Before owned_override().
int rights_begin(struct store *store);

// With an ACL, what `mode` gives to others than the owner.
int rights_keep(const struct store *store, int made, int from, mode_t mode);

// Its group where it is set-group-id, and its default ACL.
int rights_inherit(const struct store *store, int made, int parent);

// A default ACL stands in for the umask.
enum rights_given { RIGHTS_NONE, RIGHTS_GROUP, RIGHTS_ACL };
enum rights_given rights_given(int parent);

int rights_drop_given(int fd);

// A file for each leads to the record of the run (boxes/record.h).

struct runs {
	int session, links, boxes;
	bool clears; // waits for killed runs
	struct entry_stream entries;
};
struct session_run {
	struct record record;
	struct record_entry entry;
};

// Under the session's gate.
int runs_note(int session, const char *name);
void runs_forget(int session, const char *name);

// -1: an older version uses it.
int runs_open(const char *state, int session, struct runs *ret_runs);
// 1; 0 at the end. Without `clears` it changes nothing.
int runs_next(struct runs *runs, struct session_run *ret_run);
void runs_close(struct runs *runs);

bool runs_lasts(const struct session_run *run);

// 0: no number here.
bool runs_live(const char *state, int session, pid_t *ret_run);

// The caller holds the session alone.
int runs_settle(const char *state, int session);

// To nobody else.
int runs_signal(const struct session_run *run, int number);

// Proved by their inodes. Rule 15.
int runs_enter(const struct session_run *run, int *ret_user, int *ret_view);

// Inode and ctime of each path that an apply put: never taken for the host's.
struct known_file {
	unsigned root;
	const char *path;
	uint64_t inode;
	struct timespec changed;
};
struct known {
	struct known_file *files; // sorted
	unsigned count;
};
// Hostile input: bounded, no I/O.
enum { KNOWN_BYTES_MAX = 1 << 30 };
int known_parse(struct arena *arena, const char *text, size_t length, struct known *ret_known);
void known_format(const struct known *known, struct out *out);

// NULL: untouched. KNOWN_REMOVED: it removed the thing there.
enum { KNOWN_REMOVED = 0 };
const struct known_file *known_find(const struct known *known, unsigned root, const char *path);

// Of equal paths the later stays.
void known_order(struct known *known);

int known_read(const struct held *held, struct known **ret_known);

// A moved file has a newer ctime than the session; one that came along in a directory is seen here.

struct seen_directory {
	const char *path; // "" is the root
	uint64_t inode;
	struct timespec born;
	unsigned mode;
	const char *hashes; // of the names in it, sorted
	size_t count;
};

struct seen {
	struct seen_directory *list; // sorted
	unsigned count;
	bool whole;
};

// Hostile input: bounded, no I/O.
int seen_parse(struct arena *arena, const char *text, size_t length, struct seen *ret_seen);
void seen_format(const struct seen *seen, struct out *out);

// Breadth first, bounded in number and time.
int seen_write(int session, unsigned root, const char *path);

int seen_begin(const struct session *session, int directory, unsigned root);

int seen_read(const struct held *held, unsigned root, struct seen *ret_seen);

// NULL: there was none.
const struct seen_directory *seen_find(const struct seen *seen, const char *path);
bool seen_has(const struct seen_directory *directory, const char *name);

// Zero: the file system has no birth times.
struct timespec seen_birth(int fd);

// "seen-0" is the first root's.
enum { SEEN_NAME = 16, SEEN_PROJECT = 999 };
void seen_name(char name[SEEN_NAME], unsigned root);

struct merged {
	int fds[CHAIN_MAX + 1]; // first the one that hides the others
	unsigned layers[CHAIN_MAX + 1];
	unsigned count;
	bool opaque; // nothing of the host shows through
};

struct entry {
	const char *name;
	unsigned from;
	struct stat status; // a whiteout is a character device 0:0
};

// Over `top` and those below it.
int merged_open(const struct held *held, unsigned top, unsigned most, unsigned root,
		struct merged *ret_merged);
int merged_below(const struct merged *merged, const char *name, struct merged *ret_below);
void merged_close(struct merged *merged);

// Sorted.
int merged_list(struct arena *arena, const struct merged *merged, struct entry **ret_entries);

// It began as a copy of the host's.
bool merged_was_host(const struct merged *merged, const struct entry *entry);

bool is_whiteout(const struct stat *status);
#define OPAQUE_XATTR "user.overlay.opaque"
#define ORIGIN_XATTR "user.overlay.origin" // it began as a copy of the host's

// "ID/3"; "ID/own/3" over nothing: one overlay.
enum { PLACE_MAX = 64 };
void place_of_root(char text[PLACE_MAX], const char *id, bool own, unsigned root);

// "ID/w3", "ID/wown".
void place_of_work(char text[PLACE_MAX], const char *id, bool own, unsigned root);
#define PLACE_OWN "own"
