// The proxy as the supervisor sees it: worker processes that are forked when the first connection
// or DNS question comes. The supervisor parses nothing of what they read; they own nothing.
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "base/list.h"
#include "base/out.h"
#include "net/control.h"
#include "net/link.h"

struct denials;
struct plan;
struct run;
struct pollfd;

enum {
	WORKERS_MOST = 2,
	PROXY_EVENTS_MOST = LISTENERS_MOST + 8 + 2 * WORKERS_MOST + 1,
	SEEN_MOST = 256
};

// One destination of the run, for the report.
struct seen {
	struct record record; // with the sums of all that were alike
	pid_t pid;            // of the program, 0 when it was gone
	char program[16];
};

struct proxy {
	int listeners[LISTENERS_MOST];
	unsigned listener_count;
	bool redirected;
	bool relayed; // tier landlock: the one listener is on the host's loopback
	int published[8];
	unsigned published_count;
	struct shared *shared; // NULL until the first worker
	struct {
		pid_t pid;
		int pidfd, control;
		struct sent {
			dev_t device;
			ino_t inode;
			struct timespec changed;
		} files[2]; // hosts and resolv.conf as they were sent last
	} workers[WORKERS_MOST];
	unsigned worker_count;
	struct seen *seen;
	unsigned seen_count;
	int audit;      // the log; -1 before it is opened, -2 when it cannot be or is full
	size_t audited; // bytes of this run in it
	int live;       // socket for sbx allow and deny, or -1
	struct list more_allow, more_deny;
	struct arena *words; // of these two
};

// Host steps: sockets for published ports, and for sbx allow and deny.
int proxy_host(const struct plan *plan, struct run *run);
int proxy_undo(const struct plan *plan, struct run *run);

// Listeners of the box, as they came with a message.
void proxy_listeners(struct proxy *proxy, const int *fds, unsigned count, bool redirected);
// Sockets of the box, for published ports.
void proxy_sockets(struct proxy *proxy, int *fds, unsigned count);

// A worker is there, or made now.
int proxy_ready(const struct plan *plan, struct run *run);
struct sockaddr_storage;
// relay.c: connects a socket to the proxy in place of `to`. 0 or -errno.
int proxy_relay(const struct plan *plan, struct run *run, int socket,
		const struct sockaddr_storage *to);

// What to wait for; returns how many were filled in.
unsigned proxy_events(const struct proxy *proxy, struct pollfd *events);
// Does what these ask for. -1 with the error said when the run cannot go on.
int proxy_handle(const struct plan *plan, struct run *run, const struct pollfd *events,
		 unsigned count);
// When the box is dead: takes the last words of the workers and ends them.
void proxy_end(const struct plan *plan, struct run *run);
// Each destination that was denied or failed.
void proxy_report(const struct proxy *proxy, struct denials *denials);

// Each that was reached by a rule for every name.
void proxy_used(const struct proxy *proxy, struct denials *denials);

// For a command that failed: what this machine lacks.
void proxy_explain(const struct proxy *proxy, struct out *out);

// dial.c: IPv4 as ::ffff:a.b.c.d.
void dial_read_address(const struct sockaddr_storage *from, struct address *ret_address,
		       uint16_t *ret_port);

// worker.c: never returns.
struct worker_start {
	struct shared *shared;
	bool first, relayed;
	int control;
	const int *listeners, *published;
	unsigned listener_count, published_count;
	const struct egress *egress;
	const char *upstream, *no_proxy;
};
_Noreturn void worker_main(const struct worker_start *start);
// wall.c: the locks of a worker; 0, or -1 with errno.
int wall_close(void);
