// Owns the accepting of connections, from the box and to published ports.
#include "net/proxy/accept.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "net/parse/parse.h"
#include "net/proxy/deny.h"
#include "net/proxy/dial.h"
#include "net/proxy/flow.h"
#include "net/proxy/conn_record.h"
#include "net/proxy/route.h"
#include "net/proxy/syn.h"
#include "net/proxy/worker_state.h"
#include "net/rules/rules.h"
#include "net/setup/netns.h"

enum {
	ACCEPTS_A_TURN = 256,
	FIRST_MILLISECONDS = 30000,
	SOCKETS_LOW = 8,
	SOCKETS_MILLISECONDS = 2000
};

static bool is_door(const struct worker *worker, const struct address *to, uint16_t port)
{
	for (unsigned i = 0; i < NETNS_LOOPBACK_MAX; i++)
		if (port && worker->loopback_ports[i] == port && rules_is_loopback(to))
			return true;
	return false;
}

static bool take_target(const struct worker *worker, struct conn *conn, struct address *ret_to)
{
	struct target *target = &worker->shared->targets[conn->ends.from_port];
	if (!atomic_load_explicit(&target->set, memory_order_acquire))
		return false;
	*ret_to = target->address;
	conn->port = target->port;
	atomic_store(&target->set, false);
	return true;
}

static bool is_resolver(const struct worker *worker, const struct address *to, uint16_t port)
{
	bool listed = names_is_own(to) || rules_is_loopback(to);
	for (unsigned i = 0; i < worker->resolv.server_count; i++)
		listed = listed || memcmp(&worker->resolv.servers[i], to, sizeof(*to)) == 0;
	return port == NETNS_DNS_PORT && listed;
}

static bool is_served(const struct worker *worker, const struct address *to, uint16_t port)
{
	return names_is_own(to) || is_resolver(worker, to, port);
}

static void serve(struct worker *worker, struct conn *conn, const struct address *to)
{
	bool dns = is_resolver(worker, to, conn->port);
	conn->state = dns ? CONN_DNS : CONN_FIRST;
	conn->explicit_proxy = !dns;
	conn->dialing = dns ? DIAL_OPEN : DIAL_NONE;
	conn_deadline(worker, conn, FIRST_MILLISECONDS);
}

static enum conn_state *state_of(struct conn *conn)
{
	return conn->state == CONN_SYN ? &conn->then : &conn->state;
}

static void make_tunnel(struct conn *conn)
{
	conn->host = (struct host){ .kind = HOST_ADDRESS, .address = dial_loopback[0] };
	*state_of(conn) = CONN_TUNNEL;
	flow_clear(&conn->flow[CLIENT], UNLIMITED_PASS);
	flow_clear(&conn->flow[SERVER], UNLIMITED_PASS);
}

static void begin(struct worker *worker, struct conn *conn, const struct address *to)
{
	struct host host = { .kind = HOST_ADDRESS, .address = *to };
	if (is_door(worker, to, conn->port)) {
		make_tunnel(conn);
		record_conn(worker, conn, VERDICT_ALLOWED, "loopback", "", FIX_NONE);
		dial_local(worker, conn);
	} else if (is_served(worker, to, conn->port)) {
		serve(worker, conn, to);
	} else {
		*state_of(conn) = CONN_SNIFF;
		if (!route_to(worker, conn, &host, conn->port))
			deny_begin(worker, conn, conn->record.why);
	}
}

static void take_segment(struct worker *worker, const struct segment *segment)
{
	const struct ends *ends = &segment->ends;
	struct conn *conn = syn_find(worker, ends);
	// Only 127.0.0.1 leads to the host's loopback. Other addresses of 127.0.0.0/8 are the
	// box's.
	bool inside = is_door(worker, &ends->to, ends->to_port) && ends->to.bytes[12] == 127 &&
		      memcmp(&ends->to, &dial_loopback[0], sizeof(ends->to)) != 0;
	if (inside || is_served(worker, &ends->to, ends->to_port)) {
		syn_let(worker, segment);
		return;
	}
	if (conn) {
		conn->syn = *segment;
		if (conn->let)
			syn_let(worker, segment);
		return;
	}
	conn = conn_accept(worker, -1);
	if (!conn) {
		syn_refuse(worker, segment);
		return;
	}
	syn_begin(worker, conn, segment);
	begin(worker, conn, &ends->to);
	conn_wake(worker, conn);
}

void accept_segments(struct worker *worker, unsigned listener)
{
	struct segment segment;
	for (int i = 0; i < ACCEPTS_A_TURN && syn_receive(worker, listener, &segment); i++)
		take_segment(worker, &segment);
}

static void refuse(const struct worker *worker, int fd)
{
	static const char busy[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: "
				   "0\r\nConnection: close\r\n\r\n";
	if (!worker->relayed)
		send(fd, busy, sizeof(busy) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}

static void go_on(struct worker *worker, struct conn *conn, int fd)
{
	conn->fd[CLIENT] = fd;
	syn_accepted(worker, conn);
	conn_watch(worker, conn, CLIENT, WATCHED_NOT);
	if (conn->state == CONN_DENY)
		deny_begin(worker, conn, conn->problem);
	conn_wake(worker, conn);
}

// Tier landlock: answers the supervisor's thread that connects for the box, by a byte or a reset.
static void tell_relay(struct worker *worker, struct conn *conn)
{
	if (conn->state == CONN_DENY && syn_is_silent(worker, conn))
		syn_deny(worker, conn);
	else
		send(conn->fd[CLIENT], "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void accept_one(struct worker *worker, int fd, const struct sockaddr_storage *from)
{
	struct sockaddr_storage to;
	struct ends ends;
	socklen_t size = sizeof(to);
	if (getsockname(fd, (struct sockaddr *)&to, &size) < 0) {
		close(fd);
		return;
	}
	sockaddr_read(&to, &ends.to, &ends.to_port);
	sockaddr_read(from, &ends.from, &ends.from_port);
	struct conn *conn = syn_find(worker, &ends);
	if (conn) {
		go_on(worker, conn, fd);
		return;
	}
	conn = conn_accept(worker, fd);
	if (!conn) {
		refuse(worker, fd);
		return;
	}
	struct address target = ends.to;
	conn->state = CONN_SNIFF;
	conn->ends = ends;
	conn->port = ends.to_port;
	if (worker->relayed && !take_target(worker, conn, &target)) {
		conn_end(worker, conn, TURN_RESET);
		return;
	}
	conn_watch(worker, conn, CLIENT, WATCHED_NOT);
	begin(worker, conn, &target);
	if (worker->relayed)
		tell_relay(worker, conn);
	conn_wake(worker, conn);
}

// No descriptor is free: closes the spare one, accepts and refuses the connection, and makes a new
// spare.
static bool turn_away(struct worker *worker, unsigned listener)
{
	fd_close(&worker->spare);
	int fd = accept4(worker->listeners[listener], NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0)
		refuse(worker, fd);
	worker->spare = fcntl(worker->control, F_DUPFD_CLOEXEC, 3);
	return fd >= 0;
}

void accept_all(struct worker *worker, unsigned listener)
{
	for (int i = 0; i < ACCEPTS_A_TURN; i++) {
		struct sockaddr_storage from;
		socklen_t size = sizeof(from);
		int fd = accept4(worker->listeners[listener], (struct sockaddr *)&from, &size,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE) && turn_away(worker, listener))
			continue;
		if (fd < 0)
			return;
		accept_one(worker, fd, &from);
	}
}

static void want_sockets(struct worker *worker)
{
	worker->sockets_asked = worker->now;
	struct worker_event report = { .kind = EVENT_SOCKETS };
	fd_send(worker->control, &report, event_size(&report), NULL, 0);
}

// Connects clients by two sockets that the box's pid 1 made, for 127.0.0.1 and ::1.
void accept_published(struct worker *worker, unsigned index)
{
	// Without sockets returns: the level-triggered event comes again. After
	// SOCKETS_MILLISECONDS refuses the client.
	if (worker->socket_count < 2 && !worker->sockets_asked)
		want_sockets(worker);
	bool late = worker->now - worker->sockets_asked >= SOCKETS_MILLISECONDS;
	if (worker->socket_count < 2 && !late)
		return;
	int fd = accept4(worker->published[index], NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	struct conn *conn = worker->socket_count < 2 ? NULL : conn_accept(worker, fd);
	if (worker->socket_count < SOCKETS_LOW)
		want_sockets(worker);
	if (!conn) {
		close(fd);
		return;
	}
	make_tunnel(conn);
	conn->published = 1 + index / 2;
	conn->port = worker->published_inside[index / 2];
	for (int i = 0; i < 2; i++)
		conn->inside[i] = worker->sockets[--worker->socket_count];
	conn_watch(worker, conn, CLIENT, WATCHED_NOT);
	dial_local(worker, conn);
	conn_wake(worker, conn);
}

void accept_take_sockets(struct worker *worker, int *fds)
{
	for (int i = 0; i < FD_PASSED; i++) {
		if (fds[i] >= 0 && worker->socket_count < PUBLISH_SOCKETS)
			worker->sockets[worker->socket_count++] = take(&fds[i]);
		fd_close(&fds[i]);
	}
}
