// What an apply is about to do to the host, written before it does it.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan.h"
#include "session/compare/thing.h"

struct arena;
struct out;

// Each is one system call, which is done or not, and can be taken back.
struct operation {
	enum operation_kind {
		OPERATION_ADD,     // the staged thing is renamed to a name that is free
		OPERATION_REPLACE, // the staged thing and the host's are exchanged
		OPERATION_REMOVE,  // the host's is renamed to the stage
		OPERATION_MODE,    // of a directory
	} kind;
	unsigned root;
	const char *path;         // relative to the root
	unsigned number;          // its name in the stage
	uint64_t parent;          // inode of the directory that holds it
	struct thing staged, was; // what is put; what is there, as it was looked at
	mode_t mode, old_mode;    // OPERATION_MODE
};

// A path that is as the session has it afterwards.
struct leaf {
	unsigned root;
	const char *path;
	struct thing is;   // inode KNOWN_REMOVED (known.h): nothing
	const char *place; // in the stage; not in the file
};

struct journal_root {
	const char *stage; // a directory, or NULL: the root takes no part
	uint64_t stage_inode, inode;
	int64_t born_seconds;
	uint64_t born_nanoseconds;
};

struct journal {
	enum phase {
		PHASE_STAGE,  // nothing of the host has changed: the stage is thrown away
		PHASE_COMMIT, // on with it
		PHASE_BACK,   // the first `attempted` operations are taken back
		PHASE_CLEAN,  // done but for the stage
	} phase;
	unsigned attempted;
	bool forced; // over conflicts: the directory around was not checked
	struct journal_root roots[ROOTS_MAX];
	struct operation *operations;
	unsigned operation_count;
	struct leaf *leaves;
	unsigned leaf_count;
};

enum { JOURNAL_BYTES_MAX = 1 << 30, OPERATIONS_MAX = 4000000 };

// Hostile input: bounded, no I/O.
int journal_parse(struct arena *arena, const char *text, size_t length,
		  struct journal *ret_journal);
void journal_format(const struct journal *journal, struct out *out);
