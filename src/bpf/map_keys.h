// What the guard's maps hold, made from the profile's words.
#pragma once

#include "bpf/maps.h"
#include "text/destination.h"

struct list;
struct plan;

unsigned keys_of(const struct destination *rule, enum guard_list list,
		 struct guard_rule ret_keys[DESTINATION_PORTS_MAX]);
// Fails when `add` does, or for a word that is no rule of the guard.
int keys_each(const struct plan *plan, int (*add)(void *context, const struct guard_rule *key),
	      void *context);
