// One directory of a session as its layers have it, without what lies below of the host's.
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "session/store/store.h"

struct merged {
	int fds[CHAIN_MAX + 1]; // of the layers that have it, first the one that hides the others
	unsigned layers[CHAIN_MAX + 1]; // index of each in the session
	unsigned count;
	bool opaque; // nothing of the host shows through
};

struct entry {
	const char *name;
	unsigned from;      // index of merged->fds
	struct stat status; // a whiteout is a character device 0:0
};

// The root's own directory, over the layer `top` and those below it, `most` in all.
int merged_open(const struct store *store, const struct session *session, unsigned top,
		unsigned most, unsigned root, struct merged *ret_merged);
int merged_below(const struct merged *merged, const char *name, struct merged *ret_below);
void merged_close(struct merged *merged);

// What the layers have in it, sorted by name. Returns how many, or -1.
int merged_list(struct arena *arena, const struct merged *merged, struct entry **ret_entries);

// The names in a directory, sorted. Returns how many, or -1.
int names_in(struct arena *arena, int directory, char ***ret_names);

bool is_whiteout(const struct stat *status);
#define OPAQUE_XATTR "user.overlay.opaque"
#define ORIGIN_XATTR "user.overlay.origin" // it began as a copy of the host's

// Where a root of a session lies in a layer.

// "ID/3" over a directory of the host, "ID/own/3" over nothing: all of these are one overlay.
enum { PLACE_MAX = 64 };
void place_of_root(char text[PLACE_MAX], const char *id, bool own, unsigned root);

// What overlayfs works in: "ID/w3", "ID/wown".
void place_of_work(char text[PLACE_MAX], const char *id, bool own, unsigned root);
#define PLACE_OWN "own"
