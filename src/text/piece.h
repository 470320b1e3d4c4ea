// A text that somebody else wrote, taken apart from its front. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct piece {
	const char *at;
	size_t length;
};

// Up to a separator, which is taken, too; all when there is none.
struct piece piece_until(struct piece *rest, char separator);
// The next word between blanks; empty at the end.
struct piece piece_word(struct piece *rest, const char *blanks);
// Without spaces and tabs around it.
struct piece piece_trimmed(struct piece text);
bool piece_is(struct piece text, const char *word);
// The same in any case.
bool piece_is_alike(struct piece text, const char *word);
// '*' and '?' in a pattern of any case; the text has small letters.
bool piece_matches(struct piece pattern, const char *folded);
