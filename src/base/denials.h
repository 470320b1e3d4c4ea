// What a run was refused, each once: for people, programs and models. Not for use after clone.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { DENIALS_MOST = 256, DENIAL_TEXT = 512 };

struct denial {
	const char *kind; // "connect", "read", "write", "execute"
	const char *verb; // "blocked", or "could not reach"
	const char *flag; // that would allow it, of policy/keys.h; NULL: none does
	unsigned count;
	char what[DENIAL_TEXT]; // name, port or path
	char program[32];       // "": unknown
	char why[DENIAL_TEXT];
	char rule[DENIAL_TEXT];  // the line that decides, or ""
	char value[DENIAL_TEXT]; // of the flag
};

struct denials {
	struct denial *all;
	unsigned count;
	uint64_t lost; // that are not told apart: all that came after DENIALS_MOST
};

// A new one, or NULL when the same is there already (counted once more) or none fits. Texts that do
// not fit are cut. `what` and `kind` tell one from another.
struct denial *denials_add(struct denials *denials, const char *kind, const char *what,
			   const char *program);
void denials_free(struct denials *denials);
