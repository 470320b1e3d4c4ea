// Owns what is said of a session that does not exist.
#include "session/store/store.h"

#include "base/err.h"
#include "session/store/merged.h"
#include "text/near.h"

int unknown_session(struct arena *arena, int sessions, const char *name)
{
	struct near near = { .word = name };
	char **names = NULL;
	int count = ATTEMPT(names_in(arena, sessions, &names));
	for (int i = 0; i < count; i++)
		near_consider(&near, names[i]);
	if (near.found)
		return fail(0, "no session '%s', did you mean '%s'?", name, near.found);
	return fail(0,
		    "no session '%s'; yours: sbx session list; to make it: sbx session create %s",
		    name, name);
}
