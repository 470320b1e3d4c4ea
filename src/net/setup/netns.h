// The box's network: a namespace in which every address leads to sbx's listeners. No packet leaves
// it.
//
// The room net/setup owns what is made before the first connection: the plan of the way out, the
// network of the box, the made-up addresses. Uses: apart, base, nouns, net/parse, net/rules, text.
// Begin with egress_plan().
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "apart/apart.h"
#include "net/parse/parse.h"
#include "net/rules/shared.h"

struct plan;
struct run;

// Every port of the box's address speaks HTTP proxy and SOCKS 5. 198.18.0.0/15 (RFC 2544) is never
// routed.
#define NETNS_OWN_V4        "198.18.0.1"
#define NETNS_OWN_V4_NUMBER 0xc6120001U
#define NETNS_OWN_V6        "fd73:6278::1"
enum { NETNS_PORT = 1, NETNS_DNS_PORT = 53, NETNS_LOOPBACK_MAX = DOORS_MAX, NETNS_PORTS_MAX = 16 };
// Marks a SYN that the worker lets through: no program of the box can set it.
enum { NETNS_MARK = 1 };

// The order in which pid 1 sends sockets. LISTENER_OWNERS is for net/host/socket_owner.c.
// LISTENER_SYN_* are raw sockets, or AF_UNIX sockets where no connection waits. Other listeners
// follow by port.
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

// A helper makes the network. Pid 1 joins it, sends the listeners, and waits for the helper.
int netns_child_network(const struct plan *plan, struct run *run);
int netns_child_join(const struct plan *plan, struct run *run);
int netns_child_listen(const struct plan *plan, struct run *run);
int netns_child_alone(const struct plan *plan, struct run *run);

// Returns a raw socket that gets each connection's SYN; on loopback, those to `ports`.
// hold_listener() makes a listener take only marked SYNs. Both return -errno.
enum { HOLD_PORTS_MAX = 2 + NETNS_LOOPBACK_MAX + NETNS_PORTS_MAX };
long hold_open(int family, const uint16_t *ports, unsigned port_count);
long hold_listener(int listener);

enum parse netns_parse_ack(const uint8_t *bytes, size_t length, size_t *ret_used,
			   uint32_t *ret_sequence, int *ret_error);

extern const unsigned char netns_messages[], redirect_messages[];
extern const unsigned netns_messages_size, redirect_messages_size;

void confine_forget(const struct plan *plan, const struct run *run);

void lock_plan(struct plan *plan);
// What the supervisor may still do behind its filter.
struct lock_right {
	const char *name, *why;
	unsigned part; // a bit of plan.left_open; 0: always kept
};
extern const struct lock_right lock_rights[];
bool lock_keeps(const struct plan *plan, const struct lock_right *right);
int lock_host(const struct plan *plan, struct run *run);
int lock_begin(const struct plan *plan, struct run *run);

enum { EGRESS_URL_MAX = 1023, EGRESS_NO_PROXY_MAX = 8191 };

int egress_plan(struct plan *plan);
int egress_count(const struct plan *plan);
// Fails for a rule that names the box itself.
struct destination;
int egress_refuse_own(const char *origin, const char *text, const struct destination *rule);
// Returns the file or variable that names another registry than `host`, or NULL. *ret_flag: the
// option that shows it to the box.
const char *egress_closed(const struct plan *plan, const struct host *host, uint16_t port,
			  const char **ret_flag);
int egress_upstream(struct plan *plan, char *const *environment);
bool egress_excepted(const char *no_proxy, const struct host *to, uint16_t to_port);

// A synthetic address of 198.18.0.0/15 stands for one name, by the name's hash.

// If no entry for the name's hash is free, replaces the least recently used name without a
// connection, names without a rule (!known) first. Returns false if all have connections.
bool names_address(struct shared *shared, const char *name, bool known, struct address *ret);
uint32_t names_enter(struct shared *shared, const struct address *address,
		     char ret_name[HOST_NAME_BYTES_MAX + 1]);
void names_leave(struct shared *shared, uint32_t *place);
bool names_is_synthetic(const struct address *address);
bool names_is_own(const struct address *address);
