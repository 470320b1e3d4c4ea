// Owns the conversion of rules to keys of the guard's maps.
#include "bpf/map_keys.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/base.h"
#include "plan.h"

unsigned keys_of(const struct destination *rule, enum guard_list list,
		 struct guard_rule ret_keys[DESTINATION_PORTS_MAX])
{
	unsigned count = rule->port_count > 0 ? rule->port_count : 1;
	for (unsigned i = 0; i < count; i++) {
		struct guard_rule key = {
			.bits = GUARD_RULE_EXACT + rule->prefix,
			.list = (__u8)list,
			.family = address_is_v4(&rule->network) ? GUARD_V4 : GUARD_V6,
			.port = rule->port_count > 0 ? htons(rule->ports[i]) : 0,
		};
		memcpy(key.address, rule->network.bytes, sizeof(key.address));
		ret_keys[i] = key;
	}
	return count;
}

static int list_keys(const struct plan *plan, const struct list *words, enum guard_list list,
		     int (*add)(void *context, const struct guard_rule *key), void *context)
{
	struct guard_rule keys[DESTINATION_PORTS_MAX];
	struct destination rule;
	list_each (item, words) {
		if (!destination_parse(item->text, &rule) || rule.kind != DESTINATION_NETWORK)
			return fail(0,
				    "%s'%s' is a host name: with --network host the BPF programs "
				    "support only addresses and ports",
				    origin_text(plan->arena, item->from), item->text);
		unsigned count = keys_of(&rule, list, keys);
		for (unsigned i = 0; i < count; i++)
			TRY(add(context, &keys[i]));
	}
	return 0;
}

int keys_each(const struct plan *plan, int (*add)(void *context, const struct guard_rule *key),
	      void *context)
{
	TRY(list_keys(plan, &plan->profile->deny, GUARD_DENY, add, context));
	return list_keys(plan, &plan->profile->allow, GUARD_ALLOW, add, context);
}
