// sbx why: the words that are neither a path nor a host.
#pragma once

#include <stdbool.h>

struct box;
struct why;

// A text of several words, or the name of an error: recipes that hold it.
bool why_is_error(const char *word);
int why_error(struct box *box, const char *error, struct why *why);

// @NAME: where a group of hosts leads.
int why_group(struct box *box, const char *name, struct why *why);

// The name of a system call of this machine.
bool why_is_call(const char *word);
void why_call(struct box *box, const char *name, struct why *why);
