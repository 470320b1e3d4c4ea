// The proxy as the supervisor sees it: a worker process that is forked at the first connection or
// DNS question. The supervisor parses nothing of what it reads.
//
// The room net/host owns what the host does for the worker: starts it, answers it, finds whose a
// connection is, keeps the log. Uses: base apart boxes net/parse net/proxy net/rules net/setup
// nouns report text. Begin with proxy_handle().
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/base.h"
#include "base/fd.h"
#include "net/rules/control.h"
#include "net/setup/netns.h"
#include "plan.h"

struct connections;
struct record_ports;
struct sockaddr_storage;
struct run;
struct pollfd;

enum {
	PROXY_EVENTS_MAX = LISTENERS_MAX + 2 * NETNS_LOOPBACK_MAX + 3,
};

struct proxy {
	int listeners[LISTENERS_MAX];
	unsigned listener_count;
	bool redirected, holds;
	bool complete; // all listeners have come: a worker may begin
	bool relayed;  // tier landlock: the only listener is on the host's loopback
	struct publish ports[DOORS_MAX];
	struct door {
		int sockets[2]; // bound at 127.0.0.1 and ::1 (or -1)
		bool open;
		bool reversed; // the box listens at the port number of outside
		unsigned unheard;
	} doors[DOORS_MAX];
	int64_t doors_next, doors_haste; // see publish.c; 0: all listen, or there is none
	struct shared *shared;           // NULL until the worker
	unsigned generation;             // of the rules there
	struct orders *orders;           // to the worker; NULL: none runs
	int pidfd;                       // of the worker, or -1
	int owners; // see LISTENER_OWNERS; -1 where the network is not the box's own
	struct connections *connections; // seen.h; as `shared`
	int live;                        // socket for sbx allow and deny (control_socket.h), or -1
	struct list more_allow, more_deny;
	struct arena *words; // of `allow` and `deny`
};

// Descriptors become -1; lists have counts.
void proxy_init(struct proxy *proxy);
// True if the host's resolver answers for a name that cannot exist.
bool proxy_made_up(void);

// Sockets for published ports; notes free ones in the plan.
int proxy_host(struct plan *plan, struct run *run);
int proxy_undo(const struct plan *plan, struct run *run);

void proxy_listeners(struct proxy *proxy, const int *fds, unsigned count, bool redirected);
void proxy_sockets(struct proxy *proxy, int *fds, unsigned count);

// Call before proxy_relay() connects: makes what the worker shares.
int proxy_share(const struct plan *plan, struct proxy *proxy);

unsigned proxy_events(const struct proxy *proxy, struct pollfd *events);
// Handles these. -1 with the error said: the run must end.
int proxy_handle(const struct plan *plan, struct run *run, const struct pollfd *events,
		 unsigned count);
// An answer to waiting connections; else `sbx allow`'s rules again. -1 with the error said.
void proxy_answer(struct proxy *proxy, const struct host *host, uint16_t port,
		  enum hold_answer answer);
int proxy_change_rules(const struct plan *plan, struct proxy *proxy);
// Less while the worker has not taken new rules.
int proxy_wait(const struct proxy *proxy, int milliseconds);
// The box is dead: reads the worker's last messages and ends it.
void proxy_end(const struct plan *plan, struct run *run);

// Doors: ports of the host's loopback that lead to a port of a box. A door listens while a program
// of the box does, and is bound all the time, so that nobody else takes its port.

// Listens at a free port of 127.0.0.1. -1 with the error said.
int publish_listen(void);
// Binds at 127.0.0.1 and at ::1 (-1 without IPv6). Port 0 becomes a free one, which is printed.
// `flag`: precedes the ports in an error's proposal.
int publish_open(struct publish *published, const char *flag, int *ret_four, int *ret_six);

// Takes bound sockets of both addresses; without any it ends the publishing. Returns an errno.
int doors_publish(struct run *run, const struct publish *port, int fds[FD_PASSED]);
void doors_close(struct proxy *proxy, unsigned place);
void doors_ports(const struct proxy *proxy, struct record_ports *ret_ports);

// A port was unheard at the worker, or is new: looks soon.
void doors_soon(struct proxy *proxy);
// In each turn: opens and closes doors. doors_wait(): time until the next look.
void doors_look(struct proxy *proxy);
int doors_wait(const struct proxy *proxy, int milliseconds);

// The way to the proxy in tier landlock.

// Connects a socket to the proxy instead of `to`. 0 or -errno. Also for other threads: it knocks at
// the listener, for which the loop starts a worker. Needs proxy_share().
int relay_connect(const struct run *run, int socket, const struct sockaddr_storage *to);
