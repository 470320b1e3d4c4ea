// The box's own network: a namespace in which every address leads to our listeners, and these
// listeners handed to the host side. No packet leaves it.
//
// The room net/setup owns what is made before the first connection: the plan of the way out, the
// network of the box, the made-up addresses. Uses: apart base nouns
// net/parse net/rules text. Begin with egress_plan().
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "apart/apart.h"
#include "net/parse/parse.h"
#include "net/rules/shared.h"

struct plan;
struct run;

// The box's one address besides loopback; a program that insists on a proxy finds HTTP and SOCKS 5
// at every port of it. 198.18.0.0/15 (RFC 2544) is never routed.
#define NETNS_OWN_V4        "198.18.0.1"
#define NETNS_OWN_V4_NUMBER 0xc6120001U
#define NETNS_OWN_V6        "fd73:6278::1"
enum { NETNS_PORT = 1, NETNS_DNS_PORT = 53, NETNS_LOOPBACK_MAX = DOORS_MAX, NETNS_PORTS_MAX = 16 };
// Of a first segment that the worker lets through (net/proxy/syn.c): no program of the box can
// mark.
enum { NETNS_MARK = 1 };

// Listeners in the order in which they are handed out; the rest follow by port.
// The one of owners is none, but a socket that the kernel answers on: see net/host/socket_owner.c.
// The first segments of connections are read from two raw sockets, and answered by them. Where a
// box cannot have these they are of AF_UNIX, and the listeners take every segment.
enum listener {
	LISTENER_ALL,
	LISTENER_DNS,
	LISTENER_DNS_TCP,
	LISTENER_OWNERS,
	LISTENER_SYN_V4,
	LISTENER_SYN_V6,
	LISTENER_FIRST_PORT
};
// What the box's network does.
enum netns {
	NETNS_REDIRECTS = 1, // every port leads to the first listener
	NETNS_HOLDS = 2,     // connections wait at their first segment
	NETNS_MORE = 4,      // further listeners follow
};
enum { LISTENERS_MAX = LISTENER_FIRST_PORT + 2 * NETNS_LOOPBACK_MAX + NETNS_PORTS_MAX };

// Steps of the box. Begun in a helper, entered by join, complete and handed over by listen, the
// helper gone after alone.
int netns_child_network(const struct plan *plan, struct run *run);
int netns_child_join(const struct plan *plan, struct run *run);
int netns_child_listen(const struct plan *plan, struct run *run);
int netns_child_alone(const struct plan *plan, struct run *run);

// A raw socket of IPv4 or IPv6 that gets the first segment of each connection to anywhere but
// loopback, and to these ports there, at which the listeners are; and from then on a listener takes
// none that is not marked: who sends it waits. For the helper: raw calls; -errno.
enum { HOLD_PORTS_MAX = 2 + NETNS_LOOPBACK_MAX + NETNS_PORTS_MAX };
long hold_open(int family, const uint16_t *ports, unsigned port_count);
long hold_listener(int listener);

// One acknowledgement out of what netlink sent; errors are positive errno values. Pure.
enum parse netns_parse_ack(const uint8_t *bytes, size_t length, size_t *ret_used,
			   uint32_t *ret_sequence, int *ret_error);

extern const unsigned char netns_messages[], redirect_messages[]; // made at build time
extern const unsigned netns_messages_size, redirect_messages_size;

// What a worker has of the supervisor's and need not: the environment, the command line and the
// plan, which is gone afterwards.
void confine_forget(const struct plan *plan, const struct run *run);

// What the supervisor gives up.

void lock_plan(struct plan *plan);
const char *lock_text(const struct plan *plan); // for sbx plan
int lock_host(const struct plan *plan, struct run *run);
int lock_begin(const struct plan *plan, struct run *run); // once

// What the profile says about the network, decided.

// Bytes of the caller's proxy variables: a worker has room for as much.
enum { EGRESS_URL_MAX = 1023, EGRESS_NO_PROXY_MAX = 8191 };

// Before the clone: what the box's own network is made of.
int egress_plan(struct plan *plan);
// Refuses more rules than the proxy has room for.
int egress_count(const struct plan *plan);
// The file or variable for which the public names of its group are not opened; NULL: it is another
// host. `ret_flag` is the option that shows it.
const char *egress_closed(const struct plan *plan, const struct host *host, uint16_t port,
			  const char **ret_flag);
// Where the caller's own proxy is, by key or by environment. Refuses what a worker has no room for.
int egress_upstream(struct plan *plan, char *const *environment);
// Whether the list of no_proxy excepts a destination from it.
bool egress_excepted(const char *no_proxy, const struct host *to, uint16_t to_port);

// Synthetic addresses of 198.18.0.0/15: each stands for one name, the same in every run unless two
// names meet.

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
