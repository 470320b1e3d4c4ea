// Whether a line of a profile only takes something away: for files that may do no more.
#pragma once

#include <stdbool.h>

struct key;
struct profile;

// `alone` is a profile with nothing but the line's value, `text`; `profile` is the one that holds
// now.
bool tighten_is(const struct key *key, const char *text, const struct profile *alone,
		const struct profile *profile);
