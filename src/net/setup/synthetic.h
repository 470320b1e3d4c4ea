// Synthetic addresses of 198.18.0.0/15: each stands for one name, the same in every run unless two
// names meet.
#pragma once

#include "net/rules/shared.h"

// The address of a name, given to it when it has none. Where all places that it may have are taken
// the one that was asked for longest ago and has no connection loses its place: a name that no rule
// knows before one that is `known`. False when all have connections.
bool names_address(struct shared *shared, const char *name, bool known, struct address *ret);
// The name behind an address, and its place, which it keeps until names_leave(); 0: there is none.
uint32_t names_enter(struct shared *shared, const struct address *address,
		     char ret_name[HOST_NAME_BYTES_MAX + 1]);
void names_leave(struct shared *shared, uint32_t *place);
bool names_is_synthetic(const struct address *address);
bool names_is_own(const struct address *address); // the explicit proxy's
