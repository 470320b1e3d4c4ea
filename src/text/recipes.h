// Problems by their error text. The text is man/recipes.txt, which is also the manual
// sbx-recipes(7).
#pragma once

#include <stddef.h>

extern const char recipes_text[]; // made at build time

// One recipe: its keys, one a line after "? ", and its fix up to an empty line.
struct recipe {
	const char *keys, *fix;
	size_t key_length, fix_length;
	unsigned score; // of 100: how much of the text and the key is in the other
};

// The next recipe behind `at`, the text's beginning for the first; NULL behind the last one.
const char *recipe_next(const char *at, struct recipe *ret_recipe);

// Those that fit the error text best, the best first; returns how many.
unsigned recipes_find(const char *error, struct recipe *ret_recipes, unsigned most);
