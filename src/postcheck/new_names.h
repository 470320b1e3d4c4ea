// Names that came to a directory, compared with the table of those that the host runs or trusts.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct check;
struct guard;

// `directory` is the one that the guard names. Takes away what is protected, reports the others.
void listed_look(struct check *check, int directory, const struct guard *guard);

// While a run goes on: writes the first protected name that came, and false when there is none
// among so many entries as can be looked at then.
bool listed_came(int directory, const struct guard *guard, char *ret_name, size_t size);
