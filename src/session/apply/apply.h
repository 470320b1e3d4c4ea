// The room session/apply owns how changes of a session are carried to the host's directories, all
// or none, and a run's part in its session. Uses: base, boxes, git, names, nouns, session/compare,
// session/store, text, trees. Begin with apply.c.
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

// Needs HOLD_ALONE. Applies the changes at `words` (paths, NULL at the end); without paths, all but
// guarded ones. If the host has changed one of them, applies none and reports, unless forced. After
// a crash nothing has changed, or apply_end() completes the apply.
int apply_run(struct held *held, char *const *words, enum force force, struct out *notes);

// Continues or undoes an interrupted apply. Changes only what the apply itself wrote. Returns -1
// and changes nothing if the journal is cut or of another version, or its project is gone.
enum end { END_ON, END_BACK };
int apply_end(struct held *held, enum end end, struct out *notes);

int apply_refuse_pending(const struct held *held);
bool apply_is_pending(const struct held *held);

// Locks the session: against snapshots and applies while the run lives, against other runs until
// join_ready().
int join_plan(struct plan *plan, const char *state, const char *name);

// Clones the session's mounts from live runs.
int join_host(const struct plan *plan, struct run *run);
int join_layers_host(const struct plan *plan, struct run *run);
// Links the run's record into the session, for later runs.
int join_note(const struct plan *plan, const struct run *run);
void join_ready(const struct plan *plan, const struct run *run);
int join_undo(const struct plan *plan, struct run *run);

void join_release(const struct plan *plan);

// Warns that the command runs in the session's project.
void join_tell_place(struct plan *plan);

// An operation is one system call that can be undone.
struct operation {
	enum operation_kind {
		OPERATION_ADD,     // moves the staged file to a free name
		OPERATION_REPLACE, // exchanges the staged file with the host's
		OPERATION_REMOVE,  // moves the host's file to the stage
		OPERATION_MODE,    // sets a directory's mode
		OPERATION_LEAF, // only notes: `staged` is `path` after the apply (inode 0: removed)
	} kind;
	unsigned root;
	const char *path;
	unsigned number;          // name of the file in the stage
	uint64_t parent;          // inode of the directory above `path`
	struct thing staged, was; // identity in the stage; identity on the host before
	mode_t mode, old_mode;
	const char *place; // OPERATION_LEAF: path in the stage, or NULL; not in the journal
};

struct journal_root {
	const char *stage; // NULL: the apply does not change this root
	uint64_t stage_inode, inode;
	struct timespec born;
};

struct journal {
	enum phase {
		PHASE_STAGE,  // nothing of the host has changed
		PHASE_COMMIT, // after a crash, continue the commit
		PHASE_BACK,   // after a crash, undo the first `attempted` operations
		PHASE_CLEAN,  // after a crash, only remove the stage
	} phase;
	unsigned attempted;
	bool forced; // conflicts were forced: parent directories were not checked
	struct journal_root roots[ROOTS_MAX];
	struct operation *operations;
	unsigned operation_count;
};

enum { JOURNAL_BYTES_MAX = 1 << 30, OPERATIONS_MAX = 8000000 };

// Parses hostile text.
int journal_parse(struct arena *arena, const char *text, size_t length,
		  struct journal *ret_journal);
void journal_format(const struct journal *journal, struct out *out);

// The stage is a directory with copies of all new files, complete before the host changes.

// Counts files that get a smaller mode than in the session.
struct narrowed {
	mode_t umask, mode;
	unsigned count, set; // `set`: files that lose set-user-ID or set-group-ID
	const struct change *first;
};

struct applying {
	struct arena *arena;
	struct held *held;
	struct changes changes;
	struct list mentioned; // result of mentioned_find() before the apply
	struct journal journal;
	int stages[ROOTS_MAX]; // descriptors of the stages, or -1
	int hosts[ROOTS_MAX];  // descriptors of the host's roots, or -1
	int above[ROOTS_MAX];  // parents of stages next to a root: descriptors, or -1
	bool resumed;          // continues an interrupted apply: some operations are done
	struct out notes;      // messages of the committing process
	const char *words;
	const char *why;
	struct narrowed narrowed;
	unsigned run;     // count of files that host programs run
	unsigned leading; // count of symlinks out of the session
	unsigned special; // count of sockets and devices, which are left out
	unsigned links;   // count of files whose other hard links keep the old content
};

// Chooses the place of each stage: in the session's directory, else next to the root, else in it.
int stage_places(struct applying *applying);
int stage_make(struct applying *applying);

// Returns false when the stage is in or next to the root, where a box may reach it.
bool stage_is_own(const struct applying *applying, unsigned root);

// Returns -1 when a root is another directory than the journal's, or a stage is missing.
int stage_reopen(struct applying *applying);

// Copies all files and fills journal.operations.
int stage_fill(struct applying *applying);

// Ends stage_fill(): notes the identity of each staged file, and orders changes of directory modes.
int stage_end(struct applying *applying);
int stage_remove(struct applying *applying);

int stage_sync(const struct applying *applying);

int journal_write(const struct applying *applying);
int journal_sync(const struct applying *applying);

// Commits all operations or none, in a process that outlives a killed sbx. Returns -1 after an
// undo.
int commit_run(struct applying *applying, struct out *notes);

// Undoes the operations that the journal has begun.
int commit_back(struct applying *applying, struct out *notes);

int commit_clean(struct applying *applying);

// Notes the new ctimes of applied and restored files: these are not the host's changes.
int note_applied(struct applying *applying);
