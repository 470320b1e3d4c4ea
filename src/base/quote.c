// Owns the quotes around a word for a shell.
#include "base/base.h"

#include <string.h>

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

const char *quote_fix(struct arena *arena, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-+@%:,";
	if (!str_visible(text) || *text == '-')
		return NULL;
	return *text && text[strspn(text, plain)] == '\0' ? text : quote_word(arena, text);
}
