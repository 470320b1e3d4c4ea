// The keys of the guard's maps, as the programs and their loader share them.
#pragma once

#include <linux/types.h>

enum guard_list { GUARD_DENY, GUARD_ALLOW };
enum guard_family { GUARD_V4, GUARD_V6 };
enum guard_counter { GUARD_SENT, GUARD_RECEIVED, GUARD_COUNTERS };

// A rule of the trie. It has one key for each of its ports, or one with port 0 for every port: all
// before the address is exact, so that a prefix that matches is a rule that matches. IPv4 is
// written as ::ffff:a.b.c.d.
struct guard_rule {
	__u32 bits; // of what follows, that must be equal
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
