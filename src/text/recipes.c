// Owns the search for a recipe by an error text.
#include "text/words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/base.h"

enum { WORD_MAX = 64, FITS = 60, NEAR = 15, ERROR_MAX = 4096, WHOLE = 100 };

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

// The next word before `end`, in small letters; the length of what was read, 0: none.
static size_t next_word(const char *at, const char *end, char word[WORD_MAX])
{
	const char *begin = at;
	size_t used = 0;
	while (at < end && !is_letter(*at))
		at++;
	for (; at < end && is_letter(*at); at++)
		if (used < WORD_MAX - 1)
			word[used++] = (char)tolower((unsigned char)*at);
	word[used] = '\0';
	return used ? (size_t)(at - begin) : 0;
}

static bool has_word(const char *text, const char *end, const char *wanted)
{
	char word[WORD_MAX];
	for (size_t step; (step = next_word(text, end, word)) > 0; text += step)
		if (str_equal(word, wanted))
			return true;
	return false;
}

// NAME, PATH ... stand for any word.
static bool is_any(const char *begin, size_t step)
{
	static const char *const any[] = { "NAME", "PATH", "HOST", "PORT", "COMMAND" };
	for (size_t i = 0; i < sizeof(any) / sizeof(*any); i++)
		if (step >= strlen(any[i]) &&
		    strncmp(begin + step - strlen(any[i]), any[i], strlen(any[i])) == 0)
			return true;
	return false;
}

// How many of 100 of the words of one text are in the other; `count` is how many it has.
static unsigned part_of(const char *at, const char *end, const char *other, const char *other_end,
			unsigned *ret_count)
{
	char word[WORD_MAX];
	unsigned all = 0, found = 0;
	for (size_t step; (step = next_word(at, end, word)) > 0; at += step) {
		if (is_any(at, step))
			continue;
		all++;
		found += has_word(other, other_end, word);
	}
	*ret_count = all;
	return all ? found * WHOLE / all : 0;
}

// Words that errors of any program have say nothing about the problem: those of errno(3), and
// these.
static bool is_common(const char *word)
{
	enum { ERRNO_MAX = 133 };
	static const char words[] =
		"error errors fatal fail failed failure cannot could can t unable to open load "
		"found find the a an of in for with is be was from by and on at it while get";
	bool common = strlen(word) < 2 || isdigit((unsigned char)word[0]) ||
		      str_has_word(words, word, strlen(word));
	for (int number = 1; !common && number <= ERRNO_MAX; number++) {
		const char *text = strerror(number);
		common = has_word(text, text + strlen(text), word);
	}
	return common;
}

static bool share_own_word(const char *key, const char *key_end, const char *error,
			   const char *error_end)
{
	char word[WORD_MAX];
	for (size_t step; (step = next_word(key, key_end, word)) > 0; key += step)
		if (!is_any(key, step) && has_word(error, error_end, word) && !is_common(word))
			return true;
	return false;
}

// A long line of a log holds a whole key, and a pasted piece is wholly in one. What both share
// decides among those.
static unsigned score_of(const char *key, const char *key_end, const char *error,
			 const char *error_end)
{
	unsigned words = 0, asked = 0;
	unsigned key_part = part_of(key, key_end, error, error_end, &words);
	unsigned error_part = part_of(error, error_end, key, key_end, &asked);
	if (words < 2 && asked > 1)
		key_part /= 2;
	if (asked < 2)
		error_part = error_part * 7 / 10;
	unsigned best = key_part > error_part ? key_part : error_part;
	// A piece of the key is found by common words, too.
	if (error_part < WHOLE && !share_own_word(key, key_end, error, error_end))
		return 0;
	return best < FITS ? 0 : (best * 3 + key_part + error_part) / 5;
}

static unsigned best_key(const struct recipe *recipe, const char *error, const char *error_end)
{
	unsigned best = 0;
	const char *end = recipe->keys + recipe->key_length;
	for (const char *at = recipe->keys; at < end; at = line_end(at) + 1) {
		unsigned score = score_of(at + 2, line_end(at), error, error_end);
		best = score > best ? score : best;
	}
	return best;
}

unsigned recipes_find(const char *error, struct recipe *ret_recipes, unsigned most)
{
	struct recipe recipe;
	unsigned count = 0;
	const char *error_end = error + strnlen(error, ERROR_MAX);
	for (const char *at = recipes_text; (at = recipe_next(at, &recipe)) != NULL;) {
		recipe.score = best_key(&recipe, error, error_end);
		if (recipe.score == 0)
			continue;
		unsigned place = count < most ? count++ : most;
		for (; place > 0 && ret_recipes[place - 1].score < recipe.score; place--)
			if (place < most)
				ret_recipes[place] = ret_recipes[place - 1];
		if (place < most)
			ret_recipes[place] = recipe;
	}
	while (count > 1 && ret_recipes[count - 1].score + NEAR < ret_recipes[0].score)
		count--;
	return count;
}
