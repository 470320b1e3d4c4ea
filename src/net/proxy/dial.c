// Owns the connection to a server: judges its addresses, then tries one after the other with a head
// start each (RFC 8305). Connects only to a judged address.
#include "net/proxy/dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/base.h"
#include "base/fd.h"
#include "net/parse/parse.h"
#include "net/proxy/lookup.h"
#include "net/proxy/conn_record.h"
#include "net/proxy/worker_state.h"
#include "net/rules/local_address.h"
#include "net/rules/rules.h"

enum { HEAD_START_MILLISECONDS = 250, DIAL_MILLISECONDS = 10000 };

static void fail_dial(struct worker *worker, struct conn *conn)
{
	if (conn->published) {
		struct worker_event report = { .kind = EVENT_UNHEARD };
		atomic_fetch_add(&worker->shared->unheard[conn->published - 1], 1);
		fd_send(worker->control, &report, event_size(&report), NULL, 0);
	}
	conn_close_server(conn);
	conn->dialing = DIAL_FAILED;
	conn_wake(worker, conn);
}

static void say_problem(struct conn *conn, const struct address *address, int problem)
{
	char text[ADDRESS_TEXT_MAX];
	address_text(address, text);
	snprintf(conn->problem, sizeof(conn->problem), "%s: %s", text, strerror(problem));
}

void dial_keep_alive(const struct conn *conn)
{
	int on = 1, idle = 60, interval = 20, count = 3, fd = conn->fd[SERVER];
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

void dial_place(const struct conn *conn, char *place)
{
	char host[HOST_NAME_BYTES_MAX + 1];
	host_text(&conn->host, host);
	str_put(place, HOST_NAME_BYTES_MAX + 16, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host,
		conn->port);
}

void dial_ask(struct worker *worker, struct conn *conn)
{
	char text[AUTHORIZATION_MAX + 1024], place[DIAL_PLACE_MAX];
	dial_place(conn, place);
	int length = snprintf(text, sizeof(text), "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n",
			      place, place, worker->authorization);
	conn_deadline(worker, conn, DIAL_MILLISECONDS);
	// The socket's buffer is empty: it takes all bytes.
	if (send(conn->fd[SERVER], text, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) == length)
		conn->dialing = DIAL_ASK;
	else
		fail_dial(worker, conn);
}

static void connected(struct worker *worker, struct conn *conn, int fd,
		      const struct address *address, enum watched watched)
{
	int on = 1;
	record_address(worker, conn, address);
	for (int i = 0; i < 2; i++)
		if (conn->inside[i] >= 0 && worker->socket_count < PUBLISH_SOCKETS)
			worker->sockets[worker->socket_count++] = take(&conn->inside[i]);
	conn_stop_dialing(conn);
	conn->fd[SERVER] = fd;
	conn->dialing = DIAL_OPEN;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	conn_watch(worker, conn, SERVER, watched);
	conn->opened = !conn->by_proxy || conn->absolute;
	if (!conn->opened && (conn->raw || conn->port == HTTPS_PORT || worker->behind_box)) {
		dial_ask(worker, conn);
	} else if (!conn->opened) {
		conn->dialing = DIAL_READY;
		conn_deadline(worker, conn, FIRST_WORDS_MILLISECONDS);
	}
	conn_wake(worker, conn);
}

// An upstream proxy gets HTTP requests without CONNECT: many allow CONNECT to port 443 only.
bool dial_takes_requests(const struct worker *worker, const struct conn *conn)
{
	return conn->by_proxy && !worker->behind_box && conn->dialing != DIAL_ASK &&
	       (conn->dialing != DIAL_OPEN || conn->absolute);
}

static socklen_t fill(const struct conn *conn, const struct address *address,
		      struct sockaddr_storage *ret)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	socklen_t size = sockaddr_fill(address, conn->dial_port, ret);
	if (!conn->published)
		return size;
	*v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(conn->dial_port) };
	memcpy(&v6->sin6_addr, address->bytes, sizeof(address->bytes));
	return sizeof(*v6);
}

static int open_socket(struct conn *conn, int family)
{
	return conn->published ? take(&conn->inside[conn->address_next - 1])
			       : socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static bool try_next(struct worker *worker, struct conn *conn)
{
	unsigned place = conn->attempt[0] >= 0;
	while (conn->address_next < conn->address_count) {
		const struct address *address = &conn->addresses[conn->address_next++];
		struct sockaddr_storage to;
		socklen_t size = fill(conn, address, &to);
		autoclose int fd = open_socket(conn, to.ss_family);
		int result = fd < 0 ? -1 : connect(fd, (const struct sockaddr *)&to, size);
		if (result == 0) {
			connected(worker, conn, take(&fd), address, WATCHED_NOT);
			return true;
		}
		if (errno != EINPROGRESS) {
			if (conn->address_next == 1)
				say_problem(conn, address, errno);
			continue;
		}
		struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
		event.data.u64 = conn_tag(place ? TAG_ATTEMPT_1 : TAG_ATTEMPT_0,
					  conn_index(worker, conn), conn->generation);
		if (epoll_ctl(worker->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
			conn->unwatched = true;
			conn_wake(worker, conn);
			return true;
		}
		conn->attempt[place] = take(&fd);
		conn->dialing = DIAL_CONNECT;
		bool more = conn->address_next < conn->address_count;
		conn_deadline(worker, conn, more ? HEAD_START_MILLISECONDS : DIAL_MILLISECONDS);
		return true;
	}
	return conn->attempt[0] >= 0 || conn->attempt[1] >= 0;
}

static void start(struct worker *worker, struct conn *conn)
{
	conn->dialing = DIAL_CONNECT;
	conn->address_next = 0;
	if (conn->address_count == 0 || !try_next(worker, conn))
		fail_dial(worker, conn);
}

static void say_denied(struct conn *conn, const struct rule *deny)
{
	snprintf(conn->problem, sizeof(conn->problem), "its name leads to a denied address (%.60s)",
		 deny->text);
}

static bool may_lead(const struct worker *worker, struct conn *conn, const struct address *address)
{
	static const char *const own_words[] = {
		[LOCAL_HOST] = "this host itself: use localhost with --host-port PORT, or name "
			       "that address",
		[LOCAL_UNKNOWN] = "which may be this host itself; --allow ADDRESS names it",
	};
	const struct rules *rules = rules_current(worker->shared);
	const struct rule *deny = rules_deny_address(rules, address, conn->port);
	bool synthetic = names_is_synthetic(address), made_up = synthetic && conn->made_up;
	enum reach reach = made_up ? REACH_PUBLIC : address_reach(address);
	enum local own = LOCAL_NOT;
	char text[ADDRESS_TEXT_MAX];
	const char *why;
	if (deny) {
		say_denied(conn, deny);
		return false;
	}
	if (synthetic && !made_up)
		why = "as a proxy of this host answers for every name: --upstream http://HOST:PORT";
	else if (rules_is_loopback(address))
		why = "this host itself: use localhost with --host-port PORT";
	else if (reach == REACH_NEVER)
		why = "which no name may lead to; --allow ADDRESS names it";
	else if ((own = local_ask(worker->routes, address)) != LOCAL_NOT)
		why = own_words[own];
	else if (reach == REACH_PRIVATE && !rules->private)
		why = "a private address: --private-network yes";
	else
		return true;
	address_text(address, text);
	snprintf(conn->problem, sizeof(conn->problem), "its name leads to %s, %s", text, why);
	return false;
}

// True while it looks up a name that cannot exist (RFC 6761): a resolver that invents addresses has
// one.
bool dial_proves(struct worker *worker, struct conn *conn)
{
	bool made_up = conn->address_count && names_is_synthetic(&conn->addresses[0]);
	if (conn->by_proxy || (!conn->proving && (conn->made_up || !made_up || conn->proved)))
		return false;
	conn->made_up = conn->proving && made_up;
	conn->proved = conn->proving;
	conn->proving = !conn->proving;
	dial_begin(worker, conn);
	return true;
}

void dial_resolved(struct worker *worker, struct conn *conn)
{
	struct address kept[ADDRESSES_MAX];
	unsigned count = 0;
	snprintf(conn->problem, sizeof(conn->problem), "%s", "the name does not resolve");
	// The upstream proxy may have any address, even this host's.
	for (unsigned i = 0; i < conn->address_count; i++)
		if (conn->by_proxy || may_lead(worker, conn, &conn->addresses[i]))
			kept[count++] = conn->addresses[i];
	conn->address_count = count;
	address_interleave(kept, count, conn->addresses);
	start(worker, conn);
}

static void look_up(struct worker *worker, struct conn *conn)
{
	conn->lookup = lookup_get(worker,
				  conn->proving    ? worker->nobody
				  : conn->by_proxy ? worker->upstream.name
						   : conn->host.name,
				  conn->proving || (conn->form && !conn->by_proxy));
	if (!conn->lookup)
		worker->lookup_wanted = true;
	else if (lookup_done(conn->lookup))
		lookup_take(worker, conn);
}

void dial_begin(struct worker *worker, struct conn *conn)
{
	conn->by_proxy =
		worker->has_upstream && !egress_excepted(worker->no_proxy, &conn->host, conn->port);
	conn->absolute = conn->absolute && conn->by_proxy;
	const struct host *target = conn->by_proxy ? &worker->upstream : &conn->host;
	conn->dial_port = conn->by_proxy ? worker->upstream_port : conn->port;
	if (target->kind == HOST_ADDRESS) {
		conn->addresses[0] = target->address;
		conn->address_count = 1;
		start(worker, conn);
		return;
	}
	conn->dialing = DIAL_LOOKUP;
	conn_deadline(worker, conn, DIAL_MILLISECONDS);
	look_up(worker, conn);
}

void dial_waiting(struct worker *worker)
{
	worker->lookup_wanted = worker->lookup_freed = false;
	for (uint32_t i = 0; i < worker->used && !worker->lookup_wanted; i++) {
		struct conn *conn = conn_at(worker, i);
		if (conn && conn->dialing == DIAL_LOOKUP && !conn->lookup)
			look_up(worker, conn);
	}
}

const struct address dial_loopback[2] = {
	{ { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 } },
	{ { [15] = 1 } },
};

void dial_local(struct worker *worker, struct conn *conn)
{
	memcpy(conn->addresses, dial_loopback, sizeof(dial_loopback));
	conn->address_count = 2;
	conn->dial_port = conn->port;
	start(worker, conn);
}

void dial_event(struct worker *worker, struct conn *conn, unsigned attempt)
{
	int problem = 0, fd = conn->attempt[attempt];
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);
	if (fd < 0)
		return;
	if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0) {
		struct address address;
		uint16_t port;
		sockaddr_read(&peer, &address, &port);
		// `sbx deny` may have changed the rules since the look-up.
		bool judged = !conn->by_proxy && conn->host.kind == HOST_NAME;
		const struct rule *deny = judged ? rules_deny_address(rules_current(worker->shared),
								      &address, conn->port)
						 : NULL;
		if (!deny) {
			conn->attempt[attempt] = -1;
			connected(worker, conn, fd, &address, WATCHED_ALREADY);
			return;
		}
		say_denied(conn, deny);
	} else {
		size = sizeof(problem);
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) < 0 || problem == 0)
			return;
		snprintf(conn->problem, sizeof(conn->problem), "%s", strerror(problem));
	}
	fd_close(&conn->attempt[attempt]);
	if (!try_next(worker, conn))
		fail_dial(worker, conn);
}

void dial_expired(struct worker *worker, struct conn *conn)
{
	bool place = conn->attempt[0] < 0 || conn->attempt[1] < 0;
	if (conn->dialing == DIAL_CONNECT && conn->address_next < conn->address_count && place) {
		if (!try_next(worker, conn))
			fail_dial(worker, conn);
		return;
	}
	snprintf(conn->problem, sizeof(conn->problem), "%s",
		 conn->dialing == DIAL_LOOKUP ? "no answer from the name servers"
		 : conn->dialing == DIAL_ASK  ? "no answer from the upstream proxy"
					      : "no answer in 10 s");
	fail_dial(worker, conn);
}

bool dial_asked(struct worker *worker, struct conn *conn)
{
	char head[4096];
	struct http_response response;
	if (!conn->readable[SERVER])
		return false;
	ssize_t got = recv(conn->fd[SERVER], head, sizeof(head), MSG_PEEK | MSG_DONTWAIT);
	if (got < 0 && errno == EAGAIN) {
		conn->readable[SERVER] = false;
		return false;
	}
	enum parse result = got > 0 ? http_response(head, (size_t)got, true, &response) : PARSE_BAD;
	if (result == PARSE_MORE && got < (ssize_t)sizeof(head)) {
		conn->readable[SERVER] = false;
		return false;
	}
	if (result != PARSE_DONE || response.status / 100 != 2) {
		snprintf(conn->problem, sizeof(conn->problem), "%s %s",
			 worker->behind_box ? "the box around this one" : "the upstream proxy",
			 result != PARSE_DONE     ? "is not an HTTP proxy"
			 : !worker->behind_box    ? "refused it"
			 : response.status == 403 ? "refuses it; that one's --allow opens it"
						  : "could not reach it");
		fail_dial(worker, conn);
		return false;
	}
	recv(conn->fd[SERVER], head, response.head, MSG_DONTWAIT);
	conn->dialing = DIAL_OPEN;
	conn->opened = true;
	return true;
}
