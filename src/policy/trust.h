// The project's own profile, .sbx.ini: what it may say before and after the user has trusted it.
#pragma once

#include "policy/find.h"

struct arena;
struct list;
struct profile;

struct trust {
	enum trust_state {
		TRUST_NO_FILE,
		TRUST_UNKNOWN, // only tightens
		TRUST_CHANGED, // since it was trusted: only tightens again
		TRUST_GIVEN,
	} state;
	struct source source; // of the file
	const char *trusted;  // TRUST_CHANGED: the text that was trusted
	const char *shown;    // the text that was shown last and is another, or NULL
};

// `state` is sbx's own directory of state, `project` the project's. Reads at most three files.
int trust_read(struct arena *arena, const char *state, const char *project,
	       struct trust *ret_trust);

// Remembers the very text that was read as one that the user has seen.
int trust_note_shown(struct arena *arena, const char *state, const char *project,
		     const struct trust *trust);

// Remembers the very text that was read, or forgets it.
int trust_give(struct arena *arena, const char *state, const char *project,
	       const struct trust *trust);
int trust_take(struct arena *arena, const char *state, const char *project);

// Lays the file over the profile: all of it when trusted, else only what tightens; the lines that
// were left out are added to `ignored`.
int trust_merge(struct arena *arena, const char *config, const struct trust *trust,
		struct profile *profile, struct list *ignored);
