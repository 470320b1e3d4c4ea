// One answer of sbx why: its text for people, and what --json prints of it (sbx-json(5)).
#pragma once

#include <stdbool.h>

#include "base/base.h"

struct box;

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

// sbx why: hosts and ports.

// HOST or HOST:PORT, of which 443 is the default. -1: it is none.
int why_host(struct box *box, const char *word, struct why *why);

// sbx why: paths.
void why_path(struct box *box, const char *word, struct why *why);

// sbx why: the words that are neither a path nor a host.

// A text of several words, or a word that has none of the characters of a path or a host.
bool why_is_error(const char *word);
// The recipe for it, or what it can be.
void why_error(struct box *box, const char *error, struct why *why);

// @NAME: where a group of hosts leads.
int why_group(struct box *box, const char *name, struct why *why);

// The name of a system call of this machine.
bool why_is_call(const char *word);
void why_call(struct box *box, const char *name, struct why *why);
