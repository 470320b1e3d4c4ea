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

// Held alone. `words` (NULL-terminated) are paths; none: everything but guarded names. Refused as a
// whole when the host has changed one (reported), unless forced. After a crash everything is as
// before, or apply_end() ends it.
int apply_run(struct held *held, char *const *words, enum force force, struct out *notes);

// In the directory that it began in, only what it put itself. -1: a journal of another version,
// cut, or without its project: nothing is touched.
enum end { END_ON, END_BACK };
int apply_end(struct held *held, enum end end, struct out *notes);

// -1 with the error said when one was interrupted.
int apply_refuse_pending(const struct held *held);
bool apply_is_pending(const struct held *held);

// Locked until attach_ready(): nobody freezes, applies or mounts it.
int attach_plan(struct plan *plan, const char *state, const char *name);

// Takes the mounts of a live run; lets the next one in when the box is made.
int attach_host(const struct plan *plan, struct run *run);
int attach_layers_host(const struct plan *plan, struct run *run);
// Leads those that come later to the run's record.
int attach_note(const struct plan *plan, const struct run *run);
void attach_ready(const struct plan *plan, const struct run *run);
int attach_undo(const struct plan *plan, struct run *run);

// Of a run that does not take place.
void attach_release(const struct plan *plan);

// Not in the session's project.
void attach_tell_place(struct plan *plan);

// Written before it is done.

// Each is one system call, and can be taken back.
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
		PHASE_COMMIT, // on with it
		PHASE_BACK,   // the first `attempted` operations
		PHASE_CLEAN,  // but for the stage
	} phase;
	unsigned attempted;
	bool forced; // over conflicts: the directory around was not checked
	struct journal_root roots[ROOTS_MAX];
	struct operation *operations;
	unsigned operation_count;
};

enum { JOURNAL_BYTES_MAX = 1 << 30, OPERATIONS_MAX = 8000000 };

// Hostile input: bounded, no I/O.
int journal_parse(struct arena *arena, const char *text, size_t length,
		  struct journal *ret_journal);
void journal_format(const struct journal *journal, struct out *out);

// Made before anything of the host changes.

// Less than its mode in the session.
struct narrowed {
	mode_t umask, mode;
	unsigned count, set; // set-user-ID or set-group-ID
	const struct change *first;
};

struct applying {
	struct arena *arena;
	struct held *held;
	struct changes changes;
	struct list mentioned; // before anything is applied
	struct journal journal;
	int stages[ROOTS_MAX]; // directories, or -1
	int hosts[ROOTS_MAX];  // the roots themselves, or -1
	int above[ROOTS_MAX];  // where its stage is there, or -1
	bool resumed;          // some of it may be done already
	struct out notes;      // by the process that commits
	const char *words;
	const char *why;
	struct narrowed narrowed;
	unsigned run;     // that the host's programs run
	unsigned leading; // symlinks out of the session
	unsigned special; // sockets and devices, which are left out
	unsigned links;   // files whose other names stay as they are
};

// A stage is in the session's directory, else around the project, or in it.
int stage_places(struct applying *applying);
int stage_make(struct applying *applying);

// False: the project's file system, which a box may reach.
bool stage_is_own(const struct applying *applying, unsigned root);

// -1 unless each root is the journal's, and each stage is there.
int stage_reopen(struct applying *applying);

// Copies everything and fills journal.operations.
int stage_fill(struct applying *applying);

// When it is filled: what each staged thing is, and the modes of directories in their order.
int stage_end(struct applying *applying);
int stage_remove(struct applying *applying);

// All that was written to the stages and renamed is on the disk.
int stage_sync(const struct applying *applying);

int journal_write(const struct applying *applying);
int journal_sync(const struct applying *applying);

// All or none, in a process that a killed sbx does not take along. -1: taken back.
int commit_run(struct applying *applying, struct out *notes);

// Takes back what a journal says was begun, and nothing else.
int commit_back(struct applying *applying, struct out *notes);

// Removes the stage and the journal.
int commit_clean(struct applying *applying);

// Or that things moved to and fro have another ctime: they are not the host's.
int note_applied(struct applying *applying);
