// Where things go that appeared under a name the host would trust: kept, out of reach, restorable.
#pragma once

struct findings;
struct out;

// Moves `name` of an open directory away; `path` is its absolute path, `state` sbx's own
// directory. Reports which, and how to get it back. Where it cannot be moved across file systems it
// is renamed in its place. -1 when nothing helped (reported as well).
int quarantine_take(const char *state, int directory, const char *name, const char *path,
		    const char *why, struct findings *found);

// `sbx quarantine ACTION [ID]`: -1 with the error said.
// `put` is called for each thing, with the path that it came from; "": its note cannot be read.
typedef void quarantine_put(void *context, const char *id, const char *path);
int quarantine_list(const char *state, quarantine_put *put, void *context);
int quarantine_show(const char *state, const char *id, struct out *out);
int quarantine_restore(const char *state, const char *id, struct out *out);
int quarantine_remove(const char *state, const char *id);
