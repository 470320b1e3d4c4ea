// The host's two text files about names: hosts(5) and resolv.conf(5). Pure.
#pragma once

#include "text/host.h"

// A name of the table, by a hash of it: where its line and the name begin.
struct hosts_entry {
	uint32_t hash, line, word;
};
// Reads the table once; returns how many names it has, at most `most`.
unsigned hosts_read(const char *text, size_t length, struct hosts_entry *entries, unsigned most);
// Addresses that the table that was read gives a name; returns how many, at most `most`.
unsigned hosts_find(const char *text, size_t length, const struct hosts_entry *entries,
		    unsigned count, const char *name, struct address *addresses, unsigned most);

enum { RESOLV_SERVERS_MAX = 3, RESOLV_SEARCH_MAX = 6 };
struct resolv {
	struct address servers[RESOLV_SERVERS_MAX];
	unsigned server_count;
	char search[RESOLV_SEARCH_MAX][HOST_NAME_BYTES_MAX + 1];
	unsigned search_count;
};
// Lines that are not understood are passed over; no server means 127.0.0.1, as libc does.
void resolv_parse(const char *text, size_t length, struct resolv *ret);
