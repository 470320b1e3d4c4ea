// A part of a text that a stranger wrote. Functions take pieces from its front.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct piece {
	const char *at;
	size_t length;
};

// Takes all up to a separator, and drops the separator. Without a separator takes the rest.
struct piece piece_until(struct piece *rest, char separator);
// Takes the next word between blanks. It is empty at the end.
struct piece piece_word(struct piece *rest, const char *blanks);
struct piece piece_trimmed(struct piece text);
bool piece_is(struct piece text, const char *word);
// Like piece_is(), but ignores case.
bool piece_is_alike(struct piece text, const char *word);
// Matches a pattern with '*' and '?', and ignores case. `folded` is in lower case.
bool piece_matches(struct piece pattern, const char *folded);
