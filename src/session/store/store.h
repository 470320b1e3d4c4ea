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

// The state of a session as text: which layers it stands on, and which of them have names.

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

struct store {
	struct arena *arena;
	const char *state;         // ~/.local/state/sbx
	const char *home, *config; // of the caller: ~ and ~/.config; for changes_find() alone
	const char *sessions_path, *layers_path;
	int sessions, layers; // directories
	int rights;           // a socket, see rights_begin(); 0: none
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
int store_save(const struct held *held);

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

// The whole session or none: its directory, or -1.
int store_create(struct store *store, const char *name, const struct session *session);
int store_remove(struct store *store, struct held *held);

// Removes layers that no session stands on, and what crashes left. Returns how many, or -1.
int store_sweep(struct store *store);

// The names of all sessions, sorted. Returns how many, or -1.
int store_names(struct store *store, char ***ret_names);

// 1; 0 when there is no such file; -1 with the error said.
int store_read_file(struct arena *arena, int directory, const char *name, size_t most,
		    const char **ret_text, size_t *ret_length);

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

int history_forget(struct held *held, const char *snapshot);

// Starts over from the host's directories; the snapshots stay.
int history_discard(struct store *store, struct held *held);

// Bytes on the disk: of a layer, of all layers of the session. Walks them. What cannot be walked,
// because it is too deep, counts as SIZE_UNKNOWN.
#define SIZE_UNKNOWN OWNED_SIZE_UNKNOWN
uint64_t size_of_layer(const struct store *store, const struct session *session, unsigned layer);
uint64_t size_of_session(const struct store *store, const struct session *session);

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
// where we may. A directory gets 0700 until copy_finish(). -1: failed.
enum copied { COPIED, COPIED_NO_ACL, COPIED_NOT }; // not: a socket or a device
int copy_one(int from, const char *source, const struct stat *status, int to, const char *name);

// Mode and times of a directory whose content is complete.
int copy_finish(int to, const char *name, const struct stat *status);

// Attributes of the user's own, without those of overlayfs. 1: there is an ACL, which rights_keep()
// copies; without it *mode is for the owner alone, as its group's bits are the ACL's mask.
int copy_attributes(int from, int to, mode_t *mode);

// Whether two files, each of a name in a directory, hold the same bytes.
bool copy_is_same(int above, const char *name, int other_above, const char *other_name);

// Groups and ACLs (acl(5)) of an apply's copies, as the host's own tools would leave them. Forks a
// process with the caller's own ids: in a user namespace with one id nobody can name others. To be
// called before owned_override(); ends with its caller. For root nothing is needed.
int rights_begin(struct store *store);

// A copy gets the group and the ACL of an open file or directory, and with an ACL what `mode` gives
// to others than the owner.
int rights_keep(const struct store *store, int made, int from, mode_t mode);

// New in a directory of the host: the directory's group where that is set-group-id, and its
// default ACL.
int rights_inherit(const struct store *store, int made, int parent);

// What new things inherit from an open directory: nothing, its group, or its default ACL, which
// stands in for the umask.
enum rights_given { RIGHTS_NONE, RIGHTS_GROUP, RIGHTS_ACL };
enum rights_given rights_given(int parent);

// From now on a directory gives no ACL to new things in it.
int rights_drop_given(int fd);

// The commands that run in a session: an empty file for each in its `runs`, which leads to the
// record of the run (boxes/record.h), and by that to its mounts.

struct runs {
	int session, links, boxes;
	bool clears; // what a killed run left is waited for, until its last process is dead
	struct entry_stream entries;
};
struct session_run {
	struct record record; // open until the next one
	struct record_entry entry;
};

// Notes one, and forgets it. One at a time: under the session's gate.
int runs_note(int session, const char *name);
void runs_forget(int session, const char *name);

// Where an older version of sbx uses the session, -1 with the error said.
int runs_open(const char *state, int session, struct runs *ret_runs);
// The next one that lives: 1, 0 at the end, -1. Without `clears` it changes nothing, and waits for
// nobody.
int runs_next(struct runs *runs, struct session_run *ret_run);
void runs_close(struct runs *runs);

// Whether it is still there, and its supervisor alive.
bool runs_lasts(const struct session_run *run);

// Whether one lives, and which process that is: 0 where it has no number here. Nothing is cleared.
bool runs_live(const char *state, int session, pid_t *ret_run);

// All of them are dead, for the caller holds the session alone: waits for the last process.
int runs_settle(const char *state, int session);

// Sends it to the supervisor of the run and to nobody else.
int runs_signal(const struct session_run *run, int number);

// Descriptors of the namespaces of a living run's box, proved by their inodes. Rule 15.
int runs_enter(const struct session_run *run, int *ret_user, int *ret_view);

// What earlier applies of a session have written: inode and ctime of each path that was put,
// replaced, or put back after a failure. Its own changes are so never taken for the host's.
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

// NULL: no apply has touched the path. KNOWN_REMOVED: it has removed what stood there.
enum { KNOWN_REMOVED = 0 };
const struct known_file *known_find(const struct known *known, unsigned root, const char *path);

// Sorts, and of two entries for one path keeps the later.
void known_order(struct known *known);

// Of a session that is held; nothing at first.
int known_read(struct store *store, const struct held *held, struct known **ret_known);

// The directories of the host as a session first found them: which directory stood at each path,
// and what names were in it. A file that was moved has a newer ctime than the session; one that
// came along in a directory has not, and here it is seen.

// The time of birth tells a directory from an earlier one of the same number; zero where the file
// system has none.
struct birth {
	int64_t seconds;
	uint64_t nanoseconds;
};

struct seen_directory {
	uint64_t inode;
	struct birth born;
	uint32_t mode;
	uint32_t path;         // offset in seen->text
	uint32_t first, count; // of seen->names
};

struct seen {
	const struct seen_directory *list; // sorted by path; "" is the root itself
	const uint32_t *names;             // hashes, sorted within a directory
	const char *text;
	unsigned count;
	bool whole; // no directory is missing
};

// Hostile input: bounded, no I/O. -1: it is not whole, or none; nothing is said.
int seen_parse(const char *bytes, size_t length, struct seen *ret_seen);

// Puts the mark and the sum in front of a list, at least SEEN_HEAD bytes.
enum { SEEN_HEAD = 32 };
void seen_seal(char *bytes, size_t length);

// Looks at all directories of a root, breadth first, and writes the list beside the session's
// state. Bounded in number and time: of missing files nothing is known.
int seen_write(int session, unsigned root, const char *path);

// For a root that the session has from now on: the list that was made with the session, or a new
// one.
int seen_begin(const struct session *session, int directory, unsigned root);

// Of a session that has no list, or a damaged one, nothing is known either.
void seen_read(const struct store *store, const struct held *held, unsigned root,
	       struct seen *ret_seen);

// NULL: no such directory was there.
const struct seen_directory *seen_find(const struct seen *seen, const char *path);
bool seen_has(const struct seen *seen, const struct seen_directory *directory, const char *name);

// Of an open directory.
struct birth seen_birth(int fd);
bool seen_is(const struct seen_directory *directory, int fd, const struct stat *status);

// The file's name: "seen-0" for the first root; SEEN_PROJECT before the session has any.
enum { SEEN_NAME = 16, SEEN_PROJECT = 999 };
void seen_name(char name[SEEN_NAME], unsigned root);

// One directory of a session as its layers have it, without the host's files below.

struct merged {
	int fds[CHAIN_MAX + 1]; // of the layers that have it, first the one that hides the others
	unsigned layers[CHAIN_MAX + 1]; // index of each in the session
	unsigned count;
	bool opaque; // nothing of the host shows through
};

struct entry {
	const char *name;
	unsigned from;      // index of merged->fds
	struct stat status; // a whiteout is a character device 0:0
};

// The root's own directory, over the layer `top` and those below it, `most` in all.
int merged_open(const struct store *store, const struct session *session, unsigned top,
		unsigned most, unsigned root, struct merged *ret_merged);
int merged_below(const struct merged *merged, const char *name, struct merged *ret_below);
void merged_close(struct merged *merged);

// What the layers have in it, sorted by name. Returns how many, or -1.
int merged_list(struct arena *arena, const struct merged *merged, struct entry **ret_entries);

bool is_whiteout(const struct stat *status);
#define OPAQUE_XATTR "user.overlay.opaque"
#define ORIGIN_XATTR "user.overlay.origin" // it began as a copy of the host's

// "ID/3" over a directory of the host, "ID/own/3" over nothing: all of these are one overlay.
enum { PLACE_MAX = 64 };
void place_of_root(char text[PLACE_MAX], const char *id, bool own, unsigned root);

// What overlayfs works in: "ID/w3", "ID/wown".
void place_of_work(char text[PLACE_MAX], const char *id, bool own, unsigned root);
#define PLACE_OWN "own"
