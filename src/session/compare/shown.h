// The directories of a session as a box sees them, for reading: layers over the host's.
#pragma once

#include <sys/stat.h>

#include "session/store/merged.h"

// A directory as the session shows it.
struct shown {
	struct merged layers;
	int host; // -1: none, or hidden
};

// -1, with errno and the name recorded.
int shown_failed(const char *what, const char *name);
void shown_close(struct shown *shown);
// What stands at a name: 1 and where it is (a directory's descriptor), 0 nothing, -1.
int shown_look(const struct shown *shown, const char *name, struct stat *ret_status,
	       int *ret_where);
int shown_enter(const struct shown *shown, const char *name, struct shown *ret_below);
int shown_open(const struct store *store, const struct session *session, unsigned root,
	       struct shown *ret_shown);

// The deepest of the session's directories that holds the path; *ret_rest is relative to it.
int shown_find(struct store *store, const struct held *held, const char *path, unsigned *ret_root,
	       char **ret_rest);
// Goes down to the directory that holds `rest`, in what the session shows and, where `top` is not
// negative, in the layer that is written, where missing directories are made as they are below.
int shown_descend(struct shown *shown, int *top, char *rest, const char **ret_name);
