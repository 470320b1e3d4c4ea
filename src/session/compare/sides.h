// The two sides of a change: the session's file, and the host's directory. By descriptor, never
// through a symlink, never out of the root; -1 and an error when there is none.
#pragma once

struct change;
struct session;
struct store;

// A file of the session for reading: O_RDONLY, or -1 and an error.
int sides_open(const struct store *store, const struct session *session,
	       const struct change *change);

// The directory that holds a change in its layer, and the name there.
int sides_parent(const struct store *store, const struct session *session,
		 const struct change *change, const char **ret_name);

// Of the host, never through a symlink, never out of the root: the root, and the directory that
// holds a path in it.
int sides_host_root(const struct session *session, unsigned root);
int sides_host_below(int root, const char *path, const char **ret_name);
int sides_host_parent(const struct session *session, unsigned root, const char *path,
		      const char **ret_name);
