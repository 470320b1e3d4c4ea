// The apply: the host's own directories get what a session has changed, all of it or nothing.
//
// The room session/apply owns the way of changes to the host, with a journal, and the part of a
// run in its session. Uses: base boxes git names nouns session/compare session/store text trees.
// Begin with apply.c.
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

// Needs HOLD_ALONE. `words`: paths, NULL at the end; none: all but guarded changes. Refuses all,
// and reports, if the host has changed one of them, unless forced. After a crash nothing has
// changed, or apply_end() completes the apply.
int apply_run(struct held *held, char *const *words, enum force force, struct out *notes);

// Continues or undoes an interrupted apply. Changes only what the apply itself wrote. Returns -1
// and touches nothing for a journal of another version, a cut one, or one whose project is gone.
enum end { END_ON, END_BACK };
int apply_end(struct held *held, enum end end, struct out *notes);

// Returns -1 and reports when an apply was interrupted.
int apply_refuse_pending(const struct held *held);
bool apply_is_pending(const struct held *held);

// Locks the session until join_ready(): nobody freezes, applies or mounts it.
int join_plan(struct plan *plan, const char *state, const char *name);

// Takes the mounts of a live run. The next run may enter once the box is made.
int join_host(const struct plan *plan, struct run *run);
int join_layers_host(const struct plan *plan, struct run *run);
// Links the run's record into the session, for later runs.
int join_note(const struct plan *plan, const struct run *run);
void join_ready(const struct plan *plan, const struct run *run);
int join_undo(const struct plan *plan, struct run *run);

// For a run that does not start.
void join_release(const struct plan *plan);

// Notes that the run is outside of the session's project.
void join_tell_place(struct plan *plan);

// Each operation is in the journal before it is done.

// An operation is one system call that can be undone.
struct operation {
	enum operation_kind {
		OPERATION_ADD,     // to a free name
		OPERATION_REPLACE, // exchanges the file with the host's
		OPERATION_REMOVE,  // renames the host's file to the stage
		OPERATION_MODE,    // sets a directory's mode
		OPERATION_LEAF,    // no act: the state of a path after the apply, in `staged`
	} kind;
	unsigned root;
	const char *path;
	unsigned number;          // file name in the stage
	uint64_t parent;          // inode of the directory with `path`
	struct thing staged, was; // identity in the stage, and on the host before; KNOWN_REMOVED:
				  // a removed leaf
	mode_t mode, old_mode;
	const char *place; // OPERATION_LEAF: path in the stage, or NULL; not in the file
};

struct journal_root {
	const char *stage; // NULL: the apply does not change this root
	uint64_t stage_inode, inode;
	struct timespec born;
};

struct journal {
	enum phase {
		PHASE_STAGE,  // nothing of the host has changed
		PHASE_COMMIT, // a crash continues the commit
		PHASE_BACK,   // a crash undoes the first `attempted` operations
		PHASE_CLEAN,  // a crash only removes the stage
	} phase;
	unsigned attempted;
	bool forced; // the user forced conflicts: parent directories were not checked
	struct journal_root roots[ROOTS_MAX];
	struct operation *operations;
	unsigned operation_count;
};

enum { JOURNAL_BYTES_MAX = 1 << 30, OPERATIONS_MAX = 8000000 };

// Hostile input; pure.
int journal_parse(struct arena *arena, const char *text, size_t length,
		  struct journal *ret_journal);
void journal_format(const struct journal *journal, struct out *out);

// The stage is complete before the host changes.

// Files with a smaller mode than in the session.
struct narrowed {
	mode_t umask, mode;
	unsigned count, set; // `set`: of files with set-user-ID or set-group-ID
	const struct change *first;
};

struct applying {
	struct arena *arena;
	struct held *held;
	struct changes changes;
	struct list mentioned; // by mentioned_find(), before the apply
	struct journal journal;
	int stages[ROOTS_MAX]; // directories, or -1
	int hosts[ROOTS_MAX];  // the roots' directories, or -1
	int above[ROOTS_MAX];  // parent directory, if the stage is in it; or -1
	bool resumed;          // continues an interrupted apply: some operations are done
	struct out notes;      // notes of the committing process
	const char *words;
	const char *why;
	struct narrowed narrowed;
	unsigned run;     // count of files that the host's programs run
	unsigned leading; // count of symlinks out of the session
	unsigned special; // count of sockets and devices, which are left out
	unsigned links;   // count of files whose other hard links keep the old content
};

// Places a stage in the session's directory, else next to the project, or in it.
int stage_places(struct applying *applying);
int stage_make(struct applying *applying);

// Returns false when the stage is on the project's file system, where a box may reach it.
bool stage_is_own(const struct applying *applying, unsigned root);

// Returns -1 when a root is not the journal's, or a stage is missing.
int stage_reopen(struct applying *applying);

// Copies all files and fills journal.operations.
int stage_fill(struct applying *applying);

// After the filling: notes the identity of each staged file, and directory modes in order.
int stage_end(struct applying *applying);
int stage_remove(struct applying *applying);

// Syncs the stages and renames to disk.
int stage_sync(const struct applying *applying);

int journal_write(const struct applying *applying);
int journal_sync(const struct applying *applying);

// Commits all operations or none, in a process that outlives a killed sbx. Returns -1 after an
// undo.
int commit_run(struct applying *applying, struct out *notes);

// Undoes the operations that the journal has begun, and nothing else.
int commit_back(struct applying *applying, struct out *notes);

// Removes the stage and the journal.
int commit_clean(struct applying *applying);

// Notes the new ctimes, also of restored files: they are no changes of the host.
int note_applied(struct applying *applying);
