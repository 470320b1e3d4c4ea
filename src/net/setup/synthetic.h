// Synthetic addresses of 198.18.0.0/15: each stands for one name, the same in every run unless two
// names meet.
#pragma once

#include "net/rules/shared.h"

// The address of a name, given to it when it has none. False when there are too many names.
bool names_address(struct shared *shared, const char *name, struct address *ret);
// The name behind an address; NULL when there is none.
const char *names_find(const struct shared *shared, const struct address *address);
bool names_is_synthetic(const struct address *address);
bool names_is_own(const struct address *address); // the explicit proxy's
