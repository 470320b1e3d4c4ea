// The supervisor's side of the proxy, a worker process that is forked at the first connection or
// DNS question. The supervisor parses nothing that a box sent.
//
// The room net/host owns what the host does for the worker: starts it, answers it, finds the owner
// of a connection, keeps the log. Uses: base, apart, boxes, net/parse, net/proxy, net/rules,
// net/setup, nouns, report, text. Begin with proxy_handle().
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
	bool complete; // all listeners are known
	bool relayed;  // tier landlock: the only listener is on the host's loopback
	struct publish ports[DOORS_MAX];
	struct door {
		int sockets[2]; // bound at 127.0.0.1 and ::1, or -1
		bool open;
		bool reversed; // the box listens at the outer port's number
		unsigned unheard;
	} doors[DOORS_MAX];
	int64_t doors_next, doors_haste; // the next look (0: none); the end of frequent looks
	struct shared *shared;           // NULL before proxy_share()
	unsigned generation;             // of the rules in `shared`
	struct orders *orders;           // NULL: no worker runs
	int pidfd;
	int owners;                      // NETLINK_SOCK_DIAG, or -1
	struct connections *connections; // NULL before proxy_share()
	int control;                     // control_socket_listen(), or -1
	struct list more_allow, more_deny;
	struct arena *words; // of more_allow, more_deny
};

void proxy_init(struct proxy *proxy);
// Whether the host's resolver invents a 198.18.0.0/15 address for a name that cannot exist.
bool proxy_made_up(void);

// Opens sockets for published ports. Writes ports that it chose into the plan.
int proxy_host(struct plan *plan, struct run *run);
int proxy_undo(const struct plan *plan, struct run *run);

void proxy_listeners(struct proxy *proxy, const int *fds, unsigned count, bool redirected);
void proxy_sockets(struct proxy *proxy, int *fds, unsigned count);

// Makes the memory shared with the worker.
int proxy_share(const struct plan *plan, struct proxy *proxy);

unsigned proxy_events(const struct proxy *proxy, struct pollfd *events);
// Returns -1 if the run must end.
int proxy_handle(const struct plan *plan, struct run *run, const struct pollfd *events,
		 unsigned count);
void proxy_answer(struct proxy *proxy, const struct host *host, uint16_t port,
		  enum hold_answer answer);
int proxy_change_rules(const struct plan *plan, struct proxy *proxy);
// Returns poll(2)'s time-out: at most `milliseconds`.
int proxy_wait(const struct proxy *proxy, int milliseconds);
// Takes the last reports and kills the worker, after the box's end.
void proxy_end(const struct plan *plan, struct run *run);

// A door is a port of the host's loopback that leads to a port of a box. It listens only while a
// program of the box does. It is always bound: no other program takes the port.

int publish_listen(void);
// Binds at 127.0.0.1 and ::1. *ret_six is -1 without IPv6. Port 0 becomes a free one, which is
// printed. `flag` is for error messages.
int publish_open(struct publish *published, const char *flag, int *ret_four, int *ret_six);
void publish_say(unsigned inside, unsigned outside);

// Takes sockets of publish_open(). Without any, ends the publishing. Returns 0 or an errno.
int doors_publish(struct run *run, const struct publish *port, int fds[FD_PASSED]);
void doors_close(struct proxy *proxy, unsigned place);
void doors_ports(const struct proxy *proxy, struct record_ports *ret_ports);

// Call when a port is new, or nobody listened there: doors_look() becomes due soon.
void doors_soon(struct proxy *proxy);
// Opens and closes doors when a look is due.
void doors_look(struct proxy *proxy);
int doors_wait(const struct proxy *proxy, int milliseconds);

// Tier landlock: connects `socket` to the proxy instead of `to`. Returns 0 or -errno. Any thread
// may call it after proxy_share().
int relay_connect(const struct run *run, int socket, const struct sockaddr_storage *to);
