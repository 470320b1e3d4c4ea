// Keys of the guard's maps, made from the profile's rules.
#pragma once

#include "bpf/maps.h"
#include "text/destination.h"

struct list;
struct plan;

unsigned keys_of(const struct destination *rule, enum guard_list list,
		 struct guard_rule ret_keys[DESTINATION_PORTS_MAX]);
// Calls `add` for each key. Fails if `add` fails, and for a host name.
int keys_each(const struct plan *plan, int (*add)(void *context, const struct guard_rule *key),
	      void *context);
