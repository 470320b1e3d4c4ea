// What a session has changed, taken over by the host's own directories: all of it or nothing.
//
// The room session/apply owns the way of changes to the host, with a journal, and the part of a run
// in its session. Uses: base names nouns session/compare session/store text trees. Begin with
// apply.c.
#pragma once

#include "session/compare/changes.h"

struct out;

enum force { FORCE_NO, FORCE_YES };

// The session is held alone. `words` (NULL-terminated) are paths, absolute or relative to the
// current directory; none at all: everything but guarded names. Refused as a whole when the host
// has changed one of them meanwhile (reported), unless forced. After a crash at any moment
// everything is as before, or apply_resume() brings it to the end. Tells what was done.
int apply_run(struct store *store, struct held *held, char *const *words, enum force force,
	      struct out *notes);

// Ends an apply that was interrupted, or takes it back: in the directory that it began in, and only
// what it has put itself. -1: its journal is of another version, cut, or its project is gone;
// nothing is touched then.
int apply_resume(struct store *store, struct held *held, struct out *notes);
int apply_take_back(struct store *store, struct held *held, struct out *notes);

// -1 with the error said when one was interrupted.
int apply_refuse_pending(const struct held *held);
bool apply_is_pending(const struct held *held);
