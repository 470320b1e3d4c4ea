// What a session has changed, taken over by the host's own directories: all of it or nothing.
//
// The room session/apply owns the way of changes to the host, with a journal, and the part of a run
// in its session. Uses: base boxes names nouns session/compare session/store text trees. Begin with
// apply.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"
#include "plan.h"
#include "session/compare/changes.h"

struct arena;
struct run;

enum force { FORCE_NO, FORCE_YES };

// Needs HOLD_ALONE. `words`: paths, NULL-terminated; none: all but guarded changes. Refuses all if
// the host has changed one (reported), unless forced. After a crash nothing has changed, or
// apply_end() completes it.
int apply_run(struct held *held, char *const *words, enum force force, struct out *notes);

// Only changes what the apply itself put. -1: a journal of another version, cut, or without its
// project: nothing is touched.
enum end { END_ON, END_BACK };
int apply_end(struct held *held, enum end end, struct out *notes);

// -1 with the error said: an apply was interrupted.
int apply_refuse_pending(const struct held *held);
bool apply_is_pending(const struct held *held);

// Locks the session until attach_ready(): nobody freezes, applies or mounts it.
int attach_plan(struct plan *plan, const char *state, const char *name);

// Takes a live run's mounts; the next run may enter once the box is made.
int attach_host(const struct plan *plan, struct run *run);
int attach_layers_host(const struct plan *plan, struct run *run);
// Links the run's record, for later runs.
int attach_note(const struct plan *plan, const struct run *run);
void attach_ready(const struct plan *plan, const struct run *run);
int attach_undo(const struct plan *plan, struct run *run);

// For a run that does not take place.
void attach_release(const struct plan *plan);

// Notes that the run is outside of the session's project.
void attach_tell_place(struct plan *plan);

// Each operation is written before it is done.

// Each is one system call that can be undone.
struct operation {
	enum operation_kind {
		OPERATION_ADD,     // to a name that is free
		OPERATION_REPLACE, // with the host's
		OPERATION_REMOVE,  // the host's is renamed to the stage
		OPERATION_MODE,    // of a directory
		OPERATION_LEAF,    // none: as the session has it afterwards, `staged`
	} kind;
	unsigned root;
	const char *path;
	unsigned number;          // its name in the stage
	uint64_t parent;          // inode of the directory that holds it
	struct thing staged, was; // as it was seen; of a leaf that is removed KNOWN_REMOVED
	mode_t mode, old_mode;
	const char *place; // of a leaf in the stage, or NULL; not in the file
};

struct journal_root {
	const char *stage; // NULL: the root takes no part
	uint64_t stage_inode, inode;
	struct timespec born;
};

struct journal {
	enum phase {
		PHASE_STAGE,  // nothing of the host has changed
		PHASE_COMMIT, // continue
		PHASE_BACK,   // undo the first `attempted` operations
		PHASE_CLEAN,  // remove the stage only
	} phase;
	unsigned attempted;
	bool forced; // over conflicts: the parent directory was not checked
	struct journal_root roots[ROOTS_MAX];
	struct operation *operations;
	unsigned operation_count;
};

enum { JOURNAL_BYTES_MAX = 1 << 30, OPERATIONS_MAX = 8000000 };

// Hostile input: bounded, no I/O.
int journal_parse(struct arena *arena, const char *text, size_t length,
		  struct journal *ret_journal);
void journal_format(const struct journal *journal, struct out *out);

// The stage: complete before the host changes.

// A mode below the session's.
struct narrowed {
	mode_t umask, mode;
	unsigned count, set; // set-user-ID or set-group-ID
	const struct change *first;
};

struct applying {
	struct arena *arena;
	struct held *held;
	struct changes changes;
	struct list mentioned; // listed before the apply
	struct journal journal;
	int stages[ROOTS_MAX]; // directories, or -1
	int hosts[ROOTS_MAX];  // the roots themselves, or -1
	int above[ROOTS_MAX];  // the parent, if the stage is there; or -1
	bool resumed;          // an interrupted apply: some is done already
	struct out notes;      // of the committing process
	const char *words;
	const char *why;
	struct narrowed narrowed;
	unsigned run;     // files that the host's programs run
	unsigned leading; // symlinks out of the session
	unsigned special; // sockets and devices, left out
	unsigned links;   // files whose other links keep the old content
};

// In the session's directory, else around the project, or in it.
int stage_places(struct applying *applying);
int stage_make(struct applying *applying);

// False: on the project's file system, where a box may reach it.
bool stage_is_own(const struct applying *applying, unsigned root);

// -1: a root is not the journal's, or a stage is missing.
int stage_reopen(struct applying *applying);

// Copies everything and fills journal.operations.
int stage_fill(struct applying *applying);

// Once filled: the identity of each staged thing, and directory modes in order.
int stage_end(struct applying *applying);
int stage_remove(struct applying *applying);

// Writes the stages and renames to disk.
int stage_sync(const struct applying *applying);

int journal_write(const struct applying *applying);
int journal_sync(const struct applying *applying);

// All or none, in a process that a killed sbx does not take along. -1: taken back.
int commit_run(struct applying *applying, struct out *notes);

// Takes back what a journal says was begun, and nothing else.
int commit_back(struct applying *applying, struct out *notes);

// Removes the stage and the journal.
int commit_clean(struct applying *applying);

// Notes new ctimes, also of restored things: they are not the host's changes.
int note_applied(struct applying *applying);
