// Where things go that appeared under a name the host would trust: kept, out of reach, restorable.
#pragma once

#include <stddef.h>

struct out;

// Moves `name` of an open directory away; `path` is its absolute path, `state` sbx's own
// directory. Tells which, and how to get it back. Where it cannot be moved across file systems it
// is renamed in its place. -1 when nothing helped (told as well).
int quarantine_take(const char *state, int directory, const char *name, const char *path,
		    const char *why, struct out *told);

// `sbx quarantine ACTION [ID]`: -1 with the error said.
int quarantine_list(const char *state, struct out *out);
int quarantine_show(const char *state, const char *id, struct out *out);
int quarantine_restore(const char *state, const char *id, struct out *out);
int quarantine_remove(const char *state, const char *id);
