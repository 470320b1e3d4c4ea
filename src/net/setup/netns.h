// The box's own network: a namespace in which every address leads to our listeners, and these
// listeners handed to the host side. No packet leaves it.
//
// The room net/setup owns what is made before the first connection: the plan of the way out, the
// network of the box, the made-up addresses, a worker's locks. Uses: base nouns net/parse
// net/rules text. Begin with egress_plan().
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "net/parse/parse.h"

struct plan;
struct run;

// The box's one address besides loopback; a program that insists on a proxy finds HTTP and SOCKS 5
// at every port of it. 198.18.0.0/15 (RFC 2544) is never routed.
#define NETNS_OWN_V4 "198.18.0.1"
#define NETNS_OWN_V6 "fd73:6278::1"
enum { NETNS_PORT = 1, NETNS_DNS_PORT = 53, NETNS_LOOPBACK_MAX = 8, NETNS_PORTS_MAX = 16 };

// Listeners in the order in which they are handed out; the rest follow by port.
// The one of owners is none, but a socket that the kernel answers on: see net/host/socket_owner.h.
enum listener {
	LISTENER_ALL,
	LISTENER_DNS,
	LISTENER_DNS_TCP,
	LISTENER_OWNERS,
	LISTENER_FIRST_PORT
};
enum { LISTENERS_MAX = LISTENER_FIRST_PORT + 2 * NETNS_LOOPBACK_MAX + NETNS_PORTS_MAX };

// Steps of the box. Begun in a helper, entered by join, complete and handed over by listen, the
// helper gone after alone.
int netns_child_network(const struct plan *plan, struct run *run);
int netns_child_join(const struct plan *plan, struct run *run);
int netns_child_listen(const struct plan *plan, struct run *run);
int netns_child_alone(const struct plan *plan, struct run *run);

// One acknowledgement out of what netlink sent; errors are positive errno values. Pure.
enum parse netns_parse_ack(const uint8_t *bytes, size_t length, size_t *ret_used,
			   uint32_t *ret_sequence, int *ret_error);

extern const unsigned char netns_messages[], redirect_messages[]; // made at build time
extern const unsigned netns_messages_size, redirect_messages_size;
