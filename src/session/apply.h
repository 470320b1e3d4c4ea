// What a session has changed, taken over by the host's own directories: all of it or nothing.
#pragma once

#include "session/changes.h"

struct out;

enum force { FORCE_NO, FORCE_YES };

// The session is held alone. `words` (NULL-terminated) are paths, absolute or relative to the
// current directory; none at all: everything but guarded names. Refused as a whole when the host
// has changed one of them meanwhile (told), unless forced. After a crash at any moment everything
// is as before, or apply_resume() brings it to the end. Tells what was done.
int apply_run(struct store *store, struct held *held, char *const *words, enum force force,
	      struct out *told);

// Ends an apply that was interrupted. To be called before anything else is done with a session.
int apply_resume(struct store *store, struct held *held, struct out *told);
bool apply_is_pending(const struct held *held);
