// The room session/store owns sessions on disk. STATE/sessions/NAME has a state and locks,
// STATE/layers/ID has written files. Both belong to the caller alone, and one process at a time
// changes a session. Uses: base, boxes, git, nouns, text. Begin with store.h.
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

// A layer has the changes against its parent. All layers but the top are frozen.
struct layer {
	const char *id;
	int parent; // index of the parent; -1: the host's directories
};

struct snapshot {
	const char *name;
	unsigned layer;
	const char *parent; // the snapshot below, or ""
	int64_t time;
	const char *command; // the last command in the snapshot, or ""
};

struct session {
	const char *project;
	struct identity identity;
	struct timespec base; // host changes after this time are conflicts
	int64_t created;
	struct root roots[ROOTS_MAX]; // copy-on-write directories
	unsigned root_count;
	struct layer *layers;
	unsigned layer_count, top;
	const char *from; // the snapshot below the top, or ""
	struct snapshot *snapshots;
	unsigned snapshot_count;
};

// Visits each root whose changes can be applied to a host directory.
#define session_roots_each(index, session)                                                         \
	for (unsigned index = 0; index < (session)->root_count; index++)                           \
		if (!(session)->roots[index].own && !(session)->roots[index].system)

// Parses hostile text. Returns -1 for a damaged state, and for one of a newer version.
int session_parse(struct arena *arena, const char *text, size_t length,
		  struct session *ret_session);
void session_format(const struct session *session, struct out *out);

// Whether the name has letters, digits, '.', '_' and '-' only, and no '.' or '-' first.
bool session_is_name(const char *name);

// Lists the layers, top first.
unsigned session_chain(const struct session *session, unsigned top, unsigned *chain, unsigned most);

// Returns the newest snapshot of that name.
const struct snapshot *session_snapshot(const struct session *session, const char *name);

void state_begin(struct timespec *ret_now);

struct store {
	struct arena *arena;
	const char *state;
	const char *home, *config; // the caller's directories, for changes_find()
	const char *sessions_path, *layers_path;
	int sessions, layers;
	int rights; // socket to the process of rights_begin(); 0: none
	int guard;  // lock file (flock); shared while a layer is made
};

struct held {
	struct store *store;
	const char *name;
	int directory, lock;
	struct session session;
};

enum hold {
	HOLD_LOOK,   // takes no lock
	HOLD_SHARED, // no snapshot or apply happens meanwhile
	HOLD_ALONE,  // no command runs meanwhile
};

#define STORE_FRESH ".new-" // prefix of unfinished directories, made under store_share()

int store_open(struct arena *arena, const char *state, struct store *ret_store);
void store_close(struct store *store);

// Waits for a process that changes the session. HOLD_ALONE waits up to 5 s, and fails while
// commands run.
int store_hold(struct store *store, const char *name, enum hold hold, struct held *ret_held);
void store_release(struct held *held);

int store_save(const struct held *held);

// Begins a session without roots and layers.
int store_begin(struct store *store, const char *project, struct session *ret_session);

// `parent` -1: a layer above the host's directories.
int store_add_layer(struct store *store, struct session *session, int parent);

// Keeps other processes from removing layers until this one ends.
int store_share(struct store *store);

int store_add_roots(const struct store *store, const char *id, const struct root *roots,
		    unsigned from, unsigned count);

int store_create(struct store *store, const char *name, const struct session *session);
int store_remove(struct held *held);

// Removes unused layers and what crashes left.
int store_sweep(struct store *store);

// Lists the sessions, sorted.
int store_names(struct store *store, char ***ret_names);

// Returns 0 when there is no file.
int store_read_file(struct arena *arena, int directory, const char *name, size_t most,
		    const char **ret_text, size_t *ret_length);

// Reports that a list of the host's files is unusable and what to do. Returns -1.
int store_unusable(const struct held *held, const char *name);

struct reference {
	const char *session, *snapshot;
};
int history_refer(struct arena *arena, const char *text, struct reference *ret_reference);

// RIGHTS_ROOT: the session also has the system's directories.
enum rights { RIGHTS_CALLER, RIGHTS_ROOT };
int history_create(struct store *store, const char *name, const char *project, enum rights rights);

// `name` NULL: the next of s1, s2, ... Merges layers if there are more than ten. Each history
// function with `held` needs HOLD_ALONE.
int history_snapshot(struct held *held, const char *name, const char **ret_name);

// Saves changes in a snapshot if they would be lost. *ret_kept: its name, or NULL.
int history_restore(struct held *held, const char *name, const char **ret_kept);

// Makes a snapshot if `from` names none.
int history_fork(struct store *store, const struct reference *from, const char *name);

int history_forget(struct held *held, const char *snapshot);

// Begins again with the host's directories. The snapshots stay.
int history_discard(struct held *held);

// Walks all files. SIZE_UNKNOWN: the directories are too deep.
#define SIZE_UNKNOWN OWNED_SIZE_UNKNOWN
uint64_t size_of_layer(const struct held *held, unsigned layer);
uint64_t size_of_session(const struct held *held);

void skeleton_roots(struct session *session);

// Fills a root session's first layer with directories of the system, and with files of /etc and the
// package database that are written in place. Makes apt use no separate user.
int skeleton_make(struct store *store, const struct session *session);

// Merges *frozen and small layers below it, or all layers, into a new one, by hard links. *frozen
// becomes that layer.
int flatten_chain(struct held *held, unsigned *frozen);

// Copies a file, symlink, FIFO or empty directory, with bytes, holes, mode (without setuid and
// setgid), times, attributes, and the owner if permitted. A directory has mode 0700 until
// copy_finish().
enum copied { COPIED, COPIED_NO_ACL, COPIED_NOT }; // COPIED_NOT: a socket or a device
int copy_one(int from, const char *source, const struct stat *status, int to, const char *name);

int copy_finish(int to, const char *name, const struct stat *status);

// Copies user attributes except overlayfs's. Returns 1 when `from` has an ACL, which is not copied.
// An access ACL leaves only the owner's bits of *mode.
int copy_attributes(int from, int to, mode_t *mode);

// Whether two files, each a name in a directory, have the same bytes.
bool copy_is_same(int above, const char *name, int other_above, const char *other_name);

// Forks a process with the caller's ids, which sets groups and ACLs (acl(5)): a user namespace with
// one id cannot name others. Call it before owned_override().
int rights_begin(struct store *store);

// Gives `made` the group and ACL of `from`. If there is an ACL, `mode` decides the rights of
// others.
int rights_keep(const struct store *store, int made, int from, mode_t mode);

// Gives `made` the group of a set-group-ID directory, and the directory's default ACL.
int rights_inherit(const struct store *store, int made, int parent);

// What a directory gives to new entries. A default ACL replaces the umask.
enum rights_given { RIGHTS_NONE, RIGHTS_GROUP, RIGHTS_ACL };
enum rights_given rights_given(int parent);

int rights_drop_given(int fd);

// Each run has a file in the session's directory, which leads to its record (boxes/record.h).

struct runs {
	int session, links, boxes;
	bool clears; // waits for killed runs, and forgets ended ones
	struct entry_stream entries;
};
struct session_run {
	struct record record;
	struct record_entry entry;
};

// The caller has the session's file "gate" locked.
int runs_note(int session, const char *name);
void runs_forget(int session, const char *name);

// Returns -1 when an older version of sbx uses the session.
int runs_open(const char *state, int session, struct runs *ret_runs);
// Returns 1, or 0 at the end. Without `clears`, changes nothing.
int runs_next(struct runs *runs, struct session_run *ret_run);
void runs_close(struct runs *runs);

bool runs_lasts(const struct session_run *run);

// Whether a run lives. *ret_run 0: it is in another pid namespace.
bool runs_live(const char *state, int session, pid_t *ret_run);

// Needs HOLD_ALONE.
int runs_settle(const char *state, int session);

int runs_signal(const struct session_run *run, int number);

// Opens the run's namespaces and compares their inodes with the record.
int runs_enter(const struct session_run *run, int *ret_user, int *ret_view);

// A path that an apply wrote. With this inode and ctime, the file is no change of the host.
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
// Parses hostile text.
enum { KNOWN_BYTES_MAX = 1 << 30 };
int known_parse(struct arena *arena, const char *text, size_t length, struct known *ret_known);
void known_format(const struct known *known, struct out *out);

// Returns NULL for a path that no apply wrote. inode KNOWN_REMOVED: an apply removed the path.
enum { KNOWN_REMOVED = 0 };
// A name below an index's path, whose `inode` is the sum of the index's entries.
#define KNOWN_ENTRIES "entries"
const struct known_file *known_find(const struct known *known, unsigned root, const char *path);

// Sorts by path. Of equal paths the file with the later ctime stays.
void known_order(struct known *known);

int known_read(const struct held *held, struct known **ret_known);

// The host's directories at a session's begin. A moved file has a newer ctime, but files in a moved
// directory do not: this list shows the move.

struct seen_directory {
	const char *path; // "": the root
	uint64_t inode;
	struct timespec born;
	unsigned mode;
	const char *hashes; // of the names in the directory, sorted
	size_t count;
};

struct seen {
	struct seen_directory *list; // sorted
	unsigned count;
	bool whole;
};

// Parses hostile text.
int seen_parse(struct arena *arena, const char *text, size_t length, struct seen *ret_seen);
void seen_format(const struct seen *seen, struct out *out);

// Lists the host's directories breadth first, with bounds of number and time.
int seen_write(int session, unsigned root, const char *path);

int seen_begin(const struct session *session, int directory, unsigned root);

int seen_read(const struct held *held, unsigned root, struct seen *ret_seen);

// Returns NULL when the directory did not exist at the session's begin.
const struct seen_directory *seen_find(const struct seen *seen, const char *path);
bool seen_has(const struct seen_directory *directory, const char *name);
// The name that stands for an index with that sum of entries.
enum { SEEN_INDEX = 24 };
const char *seen_index(char name[SEEN_INDEX], uint64_t sum);

// Returns zero on a file system without birth times.
struct timespec seen_birth(int fd);

// "seen-0" is the first root's list.
enum { SEEN_NAME = 16, SEEN_PROJECT = 999 };
void seen_name(char name[SEEN_NAME], unsigned root);

struct merged {
	int fds[CHAIN_MAX + 1]; // the layer that hides the others is first
	unsigned layers[CHAIN_MAX + 1];
	unsigned count;
	bool opaque; // hides the host's entries
};

struct entry {
	const char *name;
	unsigned from;
	struct stat status; // a whiteout is a character device 0:0
};

int merged_open(const struct held *held, unsigned top, unsigned most, unsigned root,
		struct merged *ret_merged);
int merged_below(const struct merged *merged, const char *name, struct merged *ret_below);
void merged_close(struct merged *merged);

int merged_list(struct arena *arena, const struct merged *merged, struct entry **ret_entries);

// Whether the entry began as a copy of a host file.
bool merged_was_host(const struct merged *merged, const struct entry *entry);

bool is_whiteout(const struct stat *status);
#define OPAQUE_XATTR "user.overlay.opaque"
#define ORIGIN_XATTR "user.overlay.origin" // overlayfs copied the file from the host

// Writes "ID/3", or "ID/own/3" for a root without a host directory. One overlay has all of
// "ID/own".
enum { PLACE_MAX = 64 };
void place_of_root(char text[PLACE_MAX], const char *id, bool own, unsigned root);

// Writes an overlay's work directory, "ID/w3" or "ID/wown".
void place_of_work(char text[PLACE_MAX], const char *id, bool own, unsigned root);
#define PLACE_OWN "own"
