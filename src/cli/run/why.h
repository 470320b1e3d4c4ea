// One answer of sbx why, for people and for --json (sbx-json(5)).
#pragma once

#include <stdbool.h>

#include "base/base.h"

struct box;

enum { WHY_FIXES_MAX = 4 };

struct why {
	const char *asked, *kind, *verdict;
	const char *line; // line that decides, or NULL
	struct out text;
	struct why_fix {
		const char *option, *value;
	} fixes[WHY_FIXES_MAX];
	unsigned fix_count;
};

// Returns the line that decides: a profile's, a flag, or a rule of sbx.
const char *why_line(struct box *box, const struct origin *from);
// Adds "  PURPOSE OPTION WORD": `word` is `value`, quoted for a shell.
void why_fix(struct why *why, const char *purpose, const char *option, const char *word,
	     const char *value);

// Prints one answer: text, or an object of a JSON list.
void why_print(struct out *out, struct why *why);

// `word` is HOST or HOST:PORT, by default port 443. Returns -1 if it is no host.
int why_host(struct box *box, const char *word, struct why *why);

void why_path(struct box *box, const char *word, struct why *why);

// True for several words, and for a word without the characters of a path or a host.
bool why_is_error(const char *word);
// Prints the recipe for the error, or its possible causes.
void why_error(struct box *box, const char *error, struct why *why);

// Answers @NAME with the destinations of a group.
int why_group(struct box *box, const char *name, struct why *why);

bool why_is_call(const char *word);
void why_call(struct box *box, const char *name, struct why *why);
