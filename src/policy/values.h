// One value of one key: text -> field, or one line that says what was expected.
#pragma once

#include "base/units.h"
#include "profile.h"

struct arena;
struct key;

// Of a number's value.
enum unit value_unit(const struct key *key);

// Stores `text` into the key's field of `object` (struct profile or struct invocation).
int value_set(const struct key *key, void *object, struct arena *arena, const char *text,
	      struct origin from);
