// Owns the connections that wait at their first segment: their table, and the segments.
#include "net/proxy/syn.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"
#include "net/proxy/worker_state.h"
#include "net/rules/rules.h"

enum {
	OWNER_MILLISECONDS = 1000,
	ACCEPT_MILLISECONDS = 5000,
};

void syn_prepare(const struct worker *worker)
{
	enum { BUFFER = 1 << 20 };
	const int v4 = worker->listeners[LISTENER_SYN_V4], v6 = worker->listeners[LISTENER_SYN_V6];
	const struct {
		int fd, level, option, value;
	} rows[] = {
		{ v4, IPPROTO_IP, IP_HDRINCL, 1 },         { v4, SOL_SOCKET, SO_RCVBUF, BUFFER },
		{ v6, IPPROTO_IPV6, IPV6_HDRINCL, 1 },     { v6, SOL_SOCKET, SO_RCVBUF, BUFFER },
		{ v6, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !worker->relayed; i++)
		setsockopt(rows[i].fd, rows[i].level, rows[i].option, &rows[i].value,
			   sizeof(rows[i].value));
}

bool syn_receive(const struct worker *worker, unsigned listener, struct segment *ret)
{
	uint8_t bytes[256];
	union {
		struct cmsghdr header;
		char space[128];
	} control;
	struct sockaddr_storage from;
	struct iovec part = { bytes, sizeof(bytes) };
	struct msghdr header = { .msg_name = &from,
				 .msg_namelen = sizeof(from),
				 .msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(worker->listeners[listener], &header, MSG_DONTWAIT);
	if (got < 0)
		return false;
	if (listener == LISTENER_SYN_V4)
		return segment_v4(bytes, (size_t)got, ret);
	const struct cmsghdr *to = CMSG_FIRSTHDR(&header);
	if (!to || !segment_v6(bytes, (size_t)got, ret))
		return false;
	uint16_t unused;
	sockaddr_read(&from, &ret->ends.from, &unused);
	memcpy(ret->ends.to.bytes, CMSG_DATA(to), sizeof(ret->ends.to.bytes));
	return true;
}

void syn_let(const struct worker *worker, const struct segment *segment)
{
	enum { LOOPBACK_INDEX = 1 };
	uint8_t packet[PACKET_MAX];
	struct sockaddr_storage to;
	socklen_t size = sockaddr_fill(&segment->ends.to, 0, &to);
	unsigned listener = to.ss_family == AF_INET ? LISTENER_SYN_V4 : LISTENER_SYN_V6;
	size_t length = segment_packet(segment, packet);
	if (to.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&to)->sin6_scope_id = LOOPBACK_INDEX;
	sendto(worker->listeners[listener], packet, length, MSG_DONTWAIT | MSG_NOSIGNAL,
	       (const struct sockaddr *)&to, size);
}

void syn_refuse(const struct worker *worker, const struct segment *segment)
{
	struct segment reset;
	segment_refuse(segment, &reset);
	syn_let(worker, &reset);
}

// A hash without a secret: a box that makes its connections collide only delays itself.
static uint32_t place_of(const struct ends *ends)
{
	uint16_t words[sizeof(*ends) / sizeof(uint16_t)];
	uint32_t hash = 0;
	memcpy(words, ends, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		hash = (hash ^ words[i]) * 2654435761U;
	return hash >> (32 - SYN_PLACES_BITS);
}

struct conn *syn_find(const struct worker *worker, const struct ends *ends)
{
	for (uint32_t next = worker->syns[place_of(ends)]; next;) {
		struct conn *conn = &worker->conns[next - 1];
		if (conn->state == CONN_SYN && memcmp(&conn->syn.ends, ends, sizeof(*ends)) == 0)
			return conn;
		next = conn->syn_next;
	}
	return NULL;
}

void syn_begin(struct worker *worker, struct conn *conn, const struct segment *segment)
{
	uint32_t *first = &worker->syns[place_of(&segment->ends)];
	conn->state = CONN_SYN;
	conn->syn = *segment;
	conn->ends = segment->ends;
	conn->port = segment->ends.to_port;
	conn->syn_next = *first;
	*first = conn_index(worker, conn) + 1;
}

static void forget(struct worker *worker, struct conn *conn)
{
	uint32_t *next = &worker->syns[place_of(&conn->syn.ends)];
	while (*next != conn_index(worker, conn) + 1)
		next = &worker->conns[*next - 1].syn_next;
	*next = conn->syn_next;
	conn->syn.length = 0;
}

void syn_accepted(struct worker *worker, struct conn *conn)
{
	forget(worker, conn);
	conn->state = conn->then;
	conn->opened = conn->dialing == DIAL_OPEN;
	conn_deadline(worker, conn, conn->dialing == DIAL_READY ? FIRST_WORDS_MILLISECONDS : 0);
}

void syn_end(struct worker *worker, struct conn *conn)
{
	if (conn->end == TURN_RESET)
		syn_refuse(worker, &conn->syn);
	forget(worker, conn);
}

bool syn_is_silent(const struct worker *worker, const struct conn *conn)
{
	return conn->host.kind != HOST_NAME || !conn_is_web(conn) ||
	       conn->record.verdict != VERDICT_DENIED || rules_current(worker->shared)->fail;
}

enum turn syn_deny(struct worker *worker, struct conn *conn)
{
	conn->state = CONN_SYN;
	conn->then = CONN_DENY;
	conn->refused = syn_is_silent(worker, conn);
	conn_deadline(worker, conn, conn->refused ? OWNER_MILLISECONDS : 0);
	return TURN_MOVED;
}

enum turn syn_run(struct worker *worker, struct conn *conn)
{
	bool known = conn->dialing == DIAL_OPEN || conn->dialing == DIAL_READY ||
		     conn->dialing == DIAL_NONE || conn->unwatched;
	if (conn->refused)
		return conn->held ? TURN_WAIT : TURN_RESET;
	if (!known || conn->let)
		return TURN_WAIT;
	conn->let = true;
	conn_deadline(worker, conn, ACCEPT_MILLISECONDS);
	syn_let(worker, &conn->syn);
	return TURN_WAIT;
}

enum turn syn_expired(struct worker *worker, struct conn *conn)
{
	(void)worker;
	return conn->refused ? TURN_RESET : TURN_CLOSE;
}
