// Profiles by name, in order, with what they extend -> one profile. Then the flags.
#pragma once

struct arena;
struct arguments;
struct list;
struct profile;

// Reads each profile of `names` ("default" when empty), what it extends first, each once.
// `config` is ~/.config/sbx or NULL.
int merge_profiles(struct arena *arena, const char *config, const struct list *names,
		   struct profile *profile);

// The flags of the command line, last.
int merge_arguments(struct arena *arena, const struct arguments *arguments,
		    struct profile *profile);
