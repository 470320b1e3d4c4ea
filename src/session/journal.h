// What an apply is about to do to the host, written before it does it; and what it did, so that
// its own changes are never taken for the host's.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "plan.h"

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
	const char *path;        // relative to the root
	unsigned number;         // its name in the stage
	uint64_t staged;         // inode of what is staged
	uint64_t was;            // inode of what is there, as it was looked at
	struct timespec changed; // its ctime
	mode_t mode, old_mode;   // OPERATION_MODE
};

struct leaf {
	unsigned root;
	const char *path;
};

struct journal {
	enum phase {
		PHASE_STAGE,  // nothing of the host has changed: the stage is thrown away
		PHASE_COMMIT, // on with it
		PHASE_CLEAN,  // done but for the stage
	} phase;
	const char *stages[ROOTS_MOST]; // a directory for each root, or NULL
	struct operation *operations;
	unsigned operation_count;
	struct leaf *leaves; // each path that is as the session has it afterwards
	unsigned leaf_count;
};

enum { JOURNAL_BYTES_MOST = 1 << 30, OPERATIONS_MOST = 4000000 };

// Hostile input: bounded, no I/O.
int journal_parse(struct arena *arena, const char *text, size_t length,
		  struct journal *ret_journal);
void journal_format(const struct journal *journal, struct out *out);

// What earlier applies have written: inode and ctime of each path.
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
int known_parse(struct arena *arena, const char *text, size_t length, struct known *ret_known);
void known_format(const struct known *known, struct out *out);

// With `changed` NULL: whether the path is known at all.
bool known_has(const struct known *known, unsigned root, const char *path, uint64_t inode,
	       const struct timespec *changed);

// Sorts, and of two entries for one path keeps the later.
void known_order(struct known *known);
