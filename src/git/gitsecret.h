// What is secret in a git configuration file: tokens, passwords, headers, the user's part of a URL.
// Pure: reads and writes memory only.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"

struct arena;

struct gitsecret {
	const char *text; // the same configuration without what is secret; NULL: nothing is
	struct list left; // names of what was left out, the first ones, without what is secret
	unsigned left_count;
	struct list places; // values of keys that name a file of secrets, as they are written
	struct list named;  // of those that name other files: the origin's file is the key, its
			    // line is 1 for certificates
};

// -1 when the text is not what git would accept, or too long: nobody knows what is in it.
int gitsecret_filter(struct arena *arena, const char *text, size_t length,
		     struct gitsecret *ret_secret);

// Whether the value of a key, as git(1) takes both from GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n, is
// a secret or a part of it is.
bool gitsecret_is(struct arena *arena, const char *key, const char *value);

// The same of GIT_CONFIG_PARAMETERS: 'KEY'='VALUE' or 'KEY=VALUE', quoted for a shell. Another
// form is taken for a secret.
bool gitsecret_parameters(struct arena *arena, const char *text);
