// Which changes of git's configuration are applied. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct gitconfig;
struct gitconfig_merged;
struct gitform_look;
struct gitkey;

struct gitchange {
	const char *name;
	size_t section; // length of the section's name in `name`
	const struct gitkey *key;
	unsigned node; // of a key that moves data
	bool withheld, written;
};

// Fills `changes`, which has room for all names, and the lists of `merged`. Returns the
// number of changes that are applied.
unsigned gitdecide(const struct gitform_look *look, const struct gitconfig *now,
		   struct gitchange *changes, struct gitconfig_merged *merged);
