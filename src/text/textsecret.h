// How a secret looks in a text. Pure: reads and writes memory only.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

// Whether a value, as of a command or a header, has a secret in it.
bool textsecret_is(const char *text);
// Whether one of its words alone looks like a token.
bool textsecret_has_word(const char *text);

// A text with the user's part of each URL left out, in the arena; the text itself when there is
// none. NULL: a URL that cannot be taken apart, as of "https://me:pa/ss@host".
const char *textsecret_strip(struct arena *arena, const char *text);

// Settings of which each line is one (npmrc, condarc, TOML), without lines and parts of URLs that
// are secret; those lines stay empty. NULL: all of it is kept. "": nobody knows where a secret
// ends. TEXTSECRET_REGISTRIES keeps nothing but what says where packages come from.
enum textsecret_kept { TEXTSECRET_ALL, TEXTSECRET_REGISTRIES };
const char *textsecret_lines(struct arena *arena, const char *text, size_t length,
			     enum textsecret_kept kept);

// The certificates of a PEM file alone, which may hold a private key as well; "" when it has none.
const char *textsecret_certificates(struct arena *arena, const char *text);
