// What is done to a session between commands: freezing its top, going back, going two ways.
#pragma once

#include "session/store/store.h"

// "NAME" or "NAME@SNAPSHOT" taken apart; snapshot NULL without one.
struct reference {
	const char *session, *snapshot;
};
int history_refer(struct arena *arena, const char *text, struct reference *ret_reference);

// A session over the project, with nothing written in it. As root: the system's directories are
// its own as well.
enum rights { RIGHTS_CALLER, RIGHTS_ROOT };
int history_create(struct store *store, const char *name, const char *project, enum rights rights);

// Freezes the top under a name (NULL: the next of s1, s2, ...), in time that does not depend on
// what it holds; every tenth flattens. The session is held alone, as for the next two.
int history_snapshot(struct store *store, struct held *held, const char *name,
		     const char **ret_name);

// The session as it was then. What would be lost is kept as a snapshot; its name, or NULL.
int history_restore(struct store *store, struct held *held, const char *name,
		    const char **ret_kept);

// A session of its own on the same frozen layers; without a snapshot it is made now.
int history_fork(struct store *store, const struct reference *from, const char *name);

int history_forget(struct store *store, struct held *held, const char *snapshot);

// Starts over from the host's directories; the snapshots stay.
int history_discard(struct store *store, struct held *held);
