// What of the host goes with a name that the session has removed or replaced.
#pragma once

#include <sys/stat.h>

struct compare_walk;

// `name` lies in `host`, at `path` from the root; its status there is `was`.
int removed_note(struct compare_walk *walk, const char *path, const char *name, int host,
		 const struct stat *was);
int removed_note_inside(struct compare_walk *walk, const char *path, const char *name, int host);
