// The words after the verb -> invocation, and the keys that were set as flags.
#pragma once

#include <stddef.h>

#include "policy/keys.h"

struct arena;
struct invocation;

struct argument {
	const struct key *key;
	const char *value;
};

struct arguments {
	struct argument *set; // keys of the profile, in order
	unsigned count;
	char **rest; // the first word that is no option, and all after it
	char **all;  // every word that was given
};

// Options end at the first word that does not begin with '-', or after "--". `argv` ends with
// NULL. An unknown option is an error that names the nearest known one.
int argv_read(struct arena *arena, enum verb verb, char **argv, struct invocation *invocation,
	      struct arguments *ret_arguments);

// Words of other tools that people type, each with what to write here: foreign.def is the table.

// A whole sentence, or NULL: the word is not known. Options as they were typed, with their dashes,
// without a value: "--rm", "-v". FOREIGN_SAME: the flag that such a word is taken as.
enum foreign_kind { FOREIGN_OPTION, FOREIGN_SAME, FOREIGN_VERB, FOREIGN_PROFILE, FOREIGN_ACTION };
const char *foreign_answer(enum foreign_kind kind, const char *word, size_t length);
