// The box's own network: a namespace in which every address leads to sbx's listeners, which the
// host side gets. No packet leaves it.
//
// The room net/setup owns what is made before the first connection: the plan of the way out, the
// network of the box, the made-up addresses. Uses: apart base nouns net/parse net/rules text. Begin
// with egress_plan().
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "apart/apart.h"
#include "net/parse/parse.h"
#include "net/rules/shared.h"

struct plan;
struct run;

// Besides loopback. Programs that insist on a proxy find HTTP and SOCKS 5 at every port of it.
// 198.18.0.0/15 (RFC 2544) is never routed.
#define NETNS_OWN_V4        "198.18.0.1"
#define NETNS_OWN_V4_NUMBER 0xc6120001U
#define NETNS_OWN_V6        "fd73:6278::1"
enum { NETNS_PORT = 1, NETNS_DNS_PORT = 53, NETNS_LOOPBACK_MAX = DOORS_MAX, NETNS_PORTS_MAX = 16 };
// Marks a SYN that the worker lets through (net/proxy/syn.c): no program of the box can mark.
enum { NETNS_MARK = 1 };

// In the order of sending; the rest follow by port. OWNERS is a netlink socket
// (net/host/socket_owner.c). Two raw sockets get first segments; a box without them has AF_UNIX
// sockets, and nothing waits.
enum listener {
	LISTENER_ALL,
	LISTENER_DNS,
	LISTENER_DNS_TCP,
	LISTENER_OWNERS,
	LISTENER_SYN_V4,
	LISTENER_SYN_V6,
	LISTENER_FIRST_PORT
};
enum netns {
	NETNS_REDIRECTS = 1,
	NETNS_HOLDS = 2,
	NETNS_MORE = 4,
};
enum { LISTENERS_MAX = LISTENER_FIRST_PORT + 2 * NETNS_LOOPBACK_MAX + NETNS_PORTS_MAX };

// `network` begins in a helper, `join` enters, `listen` sends the listeners, `alone` ends the
// helper.
int netns_child_network(const struct plan *plan, struct run *run);
int netns_child_join(const struct plan *plan, struct run *run);
int netns_child_listen(const struct plan *plan, struct run *run);
int netns_child_alone(const struct plan *plan, struct run *run);

// A raw socket that gets the SYN of each connection except to loopback, and there to `ports`.
// Listeners then take only marked ones. For the helper: raw calls; -errno.
enum { HOLD_PORTS_MAX = 2 + NETNS_LOOPBACK_MAX + NETNS_PORTS_MAX };
long hold_open(int family, const uint16_t *ports, unsigned port_count);
long hold_listener(int listener);

enum parse netns_parse_ack(const uint8_t *bytes, size_t length, size_t *ret_used,
			   uint32_t *ret_sequence, int *ret_error);

extern const unsigned char netns_messages[], redirect_messages[];
extern const unsigned netns_messages_size, redirect_messages_size;

void confine_forget(const struct plan *plan, const struct run *run);

// What the supervisor gives up.

void lock_plan(struct plan *plan);
// For sbx plan: what the supervisor keeps, and what for. The last has no name.
struct lock_right {
	const char *name, *why;
	unsigned part; // of plan.left_open; 0: always
};
extern const struct lock_right lock_rights[];
bool lock_keeps(const struct plan *plan, const struct lock_right *right);
int lock_host(const struct plan *plan, struct run *run);
int lock_begin(const struct plan *plan, struct run *run);

// What the profile says about the network, decided.

enum { EGRESS_URL_MAX = 1023, EGRESS_NO_PROXY_MAX = 8191 };

int egress_plan(struct plan *plan);
int egress_count(const struct plan *plan);
// The file or variable that closed a group's public name, or NULL. `ret_flag`: the option that
// shows the file.
const char *egress_closed(const struct plan *plan, const struct host *host, uint16_t port,
			  const char **ret_flag);
int egress_upstream(struct plan *plan, char *const *environment);
bool egress_excepted(const char *no_proxy, const struct host *to, uint16_t to_port);

// Synthetic addresses of 198.18.0.0/15: each stands for one name, the same in every run unless two
// names meet.

// If all places are taken, the name without a connection that was used longest ago loses its place,
// a name that no rule allows (`known` false) first. False: all have connections.
bool names_address(struct shared *shared, const char *name, bool known, struct address *ret);
uint32_t names_enter(struct shared *shared, const struct address *address,
		     char ret_name[HOST_NAME_BYTES_MAX + 1]);
void names_leave(struct shared *shared, uint32_t *place);
bool names_is_synthetic(const struct address *address);
bool names_is_own(const struct address *address);
