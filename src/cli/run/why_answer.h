// One answer of sbx why: its text for people, and what --json prints of it (sbx-json(5)).
#pragma once

#include "base/out.h"

struct box;
struct origin;

enum { WHY_FIXES_MAX = 4 };

struct why {
	const char *asked, *kind, *verdict;
	const char *line; // that decides, or NULL
	struct out text;
	struct why_fix {
		const char *option, *value;
	} fixes[WHY_FIXES_MAX];
	unsigned fix_count;
};

// The line that decides: a profile's, a flag, or what sbx itself does.
const char *why_line(struct box *box, const struct origin *from);
// "  PURPOSE OPTION WORD": `word` is `value` as a shell takes it.
void why_fix(struct why *why, const char *purpose, const char *option, const char *word,
	     const char *value);

// As `sbx why` prints it, or as an object of a list.
void why_print(struct out *out, struct why *why);
