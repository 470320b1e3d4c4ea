// The keys of the guard's maps, as the programs and their loader share them.
#pragma once

#include <linux/types.h>

enum guard_list { GUARD_DENY, GUARD_ALLOW };
enum guard_family { GUARD_V4, GUARD_V6 };
enum guard_counter { GUARD_SENT, GUARD_RECEIVED, GUARD_COUNTERS };

// A key of the trie of rules: one for each port, port 0 for all. The fields before the address
// match exactly. The longest address prefix wins. IPv4 is ::ffff:a.b.c.d.
struct guard_rule {
	__u32 bits;
	__u8 list, family;
	__be16 port;
	__be32 address[4];
};
enum { GUARD_RULE_EXACT = 32, GUARD_RULES_MAX = 16384 };

struct guard_device {
	__u32 major, minor;
};
enum { GUARD_DEVICES_MAX = 1024 };
#define GUARD_EVERY_MINOR ((__u32) - 1)
