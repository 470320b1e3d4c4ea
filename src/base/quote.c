// Owns the quotes around a word for a shell.
#include "base/quote.h"

#include <string.h>

#include "base/arena.h"

char *quote_word(struct arena *arena, const char *text)
{
	char *word = arena_take(arena, strlen(text) * 4 + 3), *at = word;
	*at++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			at = stpcpy(at, "'\\''");
		else
			*at++ = *text;
	}
	*at = '\'';
	return word;
}
