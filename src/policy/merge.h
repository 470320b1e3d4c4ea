// Profiles by name, in order, with what they extend -> one profile. Then the flags.
#pragma once

#include <stdbool.h>

#include "base/list.h"

struct arena;
struct arguments;
struct ini_row;
struct key;
struct profile;
struct source;

// Reads each profile of `names` ("default" when empty), what it extends first, each once.
// `config` is ~/.config/sbx or NULL.
int merge_profiles(struct arena *arena, const char *config, const struct list *names,
		   struct profile *profile);

// One file that was found otherwise, with what it extends.
int merge_source(struct arena *arena, const char *config, const struct source *source,
		 struct profile *profile);

// Says what is wrong with a row whose key is not in the table.
int merge_unknown_key(struct arena *arena, const struct ini_row *row, struct origin from);

// The flags of the command line, last.
int merge_arguments(struct arena *arena, const struct arguments *arguments,
		    struct profile *profile);

// Whether a line of a profile only takes something away: for files that may do no more.

// `alone` is a profile with nothing but the line's value, `text`; `profile` is the one that holds
// now.
bool tighten_is(const struct key *key, const char *text, const struct profile *alone,
		const struct profile *profile);
