// libFuzzer: any bytes as SOCKS, as segments of TCP, as the host's tables of names, as netlink's
// and /proc's words.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "net/host/destinations.h"
#include "net/parse/parse.h"
#include "net/rules/local_address.h"
#include "net/setup/netns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct socks_request request;
	struct address addresses[4];
	struct resolv resolv;
	uint32_t sequence;
	size_t used;
	unsigned type;
	unsigned long long inode;
	struct hosts_entry entries[64];
	int error;
	bool open;
	if (socks_greeting(data, size, &used, &open) == PARSE_DONE && used > size)
		__builtin_trap();
	if (socks_request(data, size, &request) == PARSE_DONE &&
	    (request.used > size || request.port == 0))
		__builtin_trap();
	unsigned names = hosts_read((const char *)data, size, entries, 64);
	if (names > 64 ||
	    hosts_find((const char *)data, size, entries, names, "a", addresses, 4) > 4)
		__builtin_trap();
	resolv_parse((const char *)data, size, &resolv);
	if (resolv.server_count == 0 || resolv.server_count > RESOLV_SERVERS_MAX ||
	    resolv.search_count > RESOLV_SEARCH_MAX)
		__builtin_trap();
	char alike[HOST_NAME_BYTES_MAX + 1];
	for (unsigned i = 0; resolv_next(&resolv, "a.b", &i, alike); i++)
		if (!*alike || (i == 0 && strcmp(alike, "a.b") != 0))
			__builtin_trap();
	for (size_t at = 0; at < size && netns_parse_ack(data + at, size - at, &used, &sequence,
							 &error) == PARSE_DONE;
	     at += used)
		if (used == 0 || used > size - at || error < 0)
			__builtin_trap();
	if (local_parse(data, size, 0, &type, &error) == PARSE_DONE &&
	    (error < 0 || (error && type)))
		__builtin_trap();
	owner_parse_socket(data, size, 0, &inode);
	struct segment segment = { .length = 0 }, reset;
	uint8_t packet[PACKET_MAX];
	if (segment_v4(data, size, &segment) || segment_v6(data, size, &segment)) {
		segment_refuse(&segment, &reset);
		if (segment.length > SEGMENT_MAX || segment_packet(&segment, packet) > PACKET_MAX ||
		    segment_packet(&reset, packet) > PACKET_MAX)
			__builtin_trap();
	}
	return 0;
}
