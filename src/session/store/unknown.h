// A session that does not exist: the name that was meant, or how to make it.
#pragma once

struct arena;

// Fails, and says what to do. `sessions` is the directory of all; `name` is a valid name.
int unknown_session(struct arena *arena, int sessions, const char *name);
