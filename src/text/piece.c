// Owns the taking of pieces from the front of a text.
#include "text/piece.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

struct piece piece_until(struct piece *rest, char separator)
{
	const char *end = rest->length ? memchr(rest->at, separator, rest->length) : NULL;
	struct piece taken = { rest->at, end ? (size_t)(end - rest->at) : rest->length };
	rest->at += taken.length + (end != NULL);
	rest->length -= taken.length + (end != NULL);
	return taken;
}

struct piece piece_word(struct piece *rest, const char *blanks)
{
	size_t kinds = strlen(blanks);
	while (rest->length > 0 && memchr(blanks, *rest->at, kinds))
		rest->at++, rest->length--;
	struct piece word = { rest->at, 0 };
	while (rest->length > 0 && !memchr(blanks, *rest->at, kinds))
		rest->at++, rest->length--, word.length++;
	return word;
}

struct piece piece_trimmed(struct piece text)
{
	while (text.length > 0 && (text.at[0] == ' ' || text.at[0] == '\t'))
		text.at++, text.length--;
	while (text.length > 0 &&
	       (text.at[text.length - 1] == ' ' || text.at[text.length - 1] == '\t'))
		text.length--;
	return text;
}

bool piece_is(struct piece text, const char *word)
{
	return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

bool piece_matches(struct piece pattern, const char *folded)
{
	size_t at = 0, star = SIZE_MAX;
	const char *again = NULL;
	while (*folded) {
		bool some = at < pattern.length;
		char letter = some ? pattern.at[at] : '\0';
		if (some && letter == '*') {
			star = ++at;
			again = folded;
		} else if (some && (letter == '?' ||
				    (unsigned char)*folded == tolower((unsigned char)letter))) {
			at++;
			folded++;
		} else if (again) {
			at = star;
			folded = ++again;
		} else {
			return false;
		}
	}
	while (at < pattern.length && pattern.at[at] == '*')
		at++;
	return at == pattern.length;
}

bool piece_is_alike(struct piece text, const char *word)
{
	return text.length == strlen(word) && strncasecmp(text.at, word, text.length) == 0;
}
