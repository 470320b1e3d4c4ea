// Profiles by name, in order, with what they extend -> one profile. Then the flags.
#pragma once

#include "base/list.h"

struct arena;
struct arguments;
struct profile;

// Reads each profile of `names` ("default" when empty), what it extends first, each once.
// `config` is ~/.config/sbx or NULL.
int merge_profiles(struct arena *arena, const char *config, const struct list *names,
		   struct profile *profile);

// One file that was found otherwise, with what it extends.
struct source;
int merge_source(struct arena *arena, const char *config, const struct source *source,
		 struct profile *profile);

// Says what is wrong with a row whose key is not in the table.
struct ini_row;
int merge_unknown_key(struct arena *arena, const struct ini_row *row, struct origin from);

// The flags of the command line, last.
int merge_arguments(struct arena *arena, const struct arguments *arguments,
		    struct profile *profile);
