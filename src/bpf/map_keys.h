// What the guard's maps hold, made from the profile's words.
#pragma once

#include "bpf/maps.h"
#include "text/destination.h"

struct list;
struct plan;

// The keys of one rule: as many as it has ports, or one.
unsigned keys_of(const struct destination *rule, enum guard_list list,
		 struct guard_rule ret_keys[DESTINATION_PORTS_MAX]);
// Calls `add` with the keys of all rules; an error when it fails, or when a word is no rule of the
// guard's.
int keys_each(const struct plan *plan, int (*add)(void *context, const struct guard_rule *key),
	      void *context);
