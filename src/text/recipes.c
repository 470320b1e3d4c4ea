// Owns the search for the recipe whose key matches an error text.
#include "text/words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

enum { ANY_MAX = 12, ERROR_MAX = 4096 };

static const char *const placeholders[RECIPE_CAPTURES] = { "NAME", "PATH", "HOST", "PORT" };

static const char *line_end(const char *at)
{
	return at + strcspn(at, "\n");
}

const char *recipe_next(const char *at, struct recipe *ret_recipe)
{
	while (*at && !str_starts(at, "? "))
		at = line_end(at) + (*line_end(at) == '\n');
	if (!*at)
		return NULL;
	struct recipe recipe = { .keys = at };
	while (str_starts(at, "? "))
		at = line_end(at) + 1;
	recipe.key_length = (size_t)(at - recipe.keys);
	recipe.fix = at;
	while (*at && *at != '\n')
		at = line_end(at) + (*line_end(at) == '\n');
	recipe.fix_length = (size_t)(at - recipe.fix);
	*ret_recipe = recipe;
	return at;
}

static bool is_letter(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_' || (letter & 0x80);
}

static bool take_word(struct span *text, struct span *ret_word)
{
	while (text->at < text->end && !is_letter(*text->at))
		text->at++;
	ret_word->at = text->at;
	while (text->at < text->end && is_letter(*text->at))
		text->at++;
	ret_word->end = text->at;
	return ret_word->at < ret_word->end;
}

static bool same_word(struct span one, struct span other)
{
	size_t length = (size_t)(one.end - one.at);
	return length == (size_t)(other.end - other.at) &&
	       strncasecmp(one.at, other.at, length) == 0;
}

int recipe_placeholder(struct span word)
{
	for (int i = 0; i < RECIPE_CAPTURES; i++)
		if (strlen(placeholders[i]) == (size_t)(word.end - word.at) &&
		    strncmp(word.at, placeholders[i], strlen(placeholders[i])) == 0)
			return i;
	return -1;
}

static bool matches(struct span key, struct span error, struct span captures[RECIPE_CAPTURES])
{
	struct span wanted, word;
	if (!take_word(&key, &wanted))
		return true;
	int placeholder = recipe_placeholder(wanted);
	if (placeholder < 0)
		return take_word(&error, &word) && same_word(word, wanted) &&
		       matches(key, error, captures);
	for (unsigned i = 0; i < ANY_MAX && take_word(&error, &word); i++) {
		captures[placeholder] =
			i ? (struct span){ captures[placeholder].at, word.end } : word;
		if (matches(key, error, captures))
			return true;
	}
	return false;
}

static unsigned weight(struct span key)
{
	unsigned count = 0;
	for (struct span word; take_word(&key, &word);)
		count += recipe_placeholder(word) < 0;
	return count;
}

// A key of one word, such as "Killed", must be the whole error text.
static bool has_key(struct span key, struct span error, struct span captures[RECIPE_CAPTURES])
{
	struct span word, rest = error;
	bool single = weight(key) < 2;
	for (bool first = true; take_word(&rest, &word); first = false)
		if ((!single || first) &&
		    matches(key, (struct span){ word.at, error.end }, captures))
			return !single || weight(error) == 1;
	return false;
}

bool recipes_find(const char *error, struct recipe *ret_recipe)
{
	struct recipe recipe;
	struct span text = { error, error + strnlen(error, ERROR_MAX) };
	unsigned best = 0;
	for (const char *at = recipes_text; (at = recipe_next(at, &recipe)) != NULL;) {
		const char *end = recipe.keys + recipe.key_length;
		for (const char *key = recipe.keys; key < end; key = line_end(key) + 1) {
			struct span words = { key + 2, line_end(key) };
			struct recipe found = recipe;
			if (weight(words) <= best || !has_key(words, text, found.captures))
				continue;
			best = weight(words);
			*ret_recipe = found;
		}
	}
	return best > 0;
}
