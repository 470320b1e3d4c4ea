// Owns the readable part of TLS: judges each hello of a client, also a second one
// (HelloRetryRequest, RFC 8446 4.1.4).
#include "net/proxy/hello.h"

#include <sys/socket.h>

#include "base/fd.h"
#include "net/parse/parse.h"
#include "net/proxy/deny.h"
#include "net/proxy/flow.h"
#include "net/proxy/conn_record.h"
#include "net/proxy/route.h"
#include "net/proxy/worker_state.h"
#include "net/rules/rules.h"
#include "secrets/dialogue/dialogue.h"

// Returns why the hello is refused, or NULL. Another name than the destination's could reach
// another server at this address.
static const char *judge(struct worker *worker, struct conn *conn, const struct tls_hello *hello,
			 enum fix *ret_fix)
{
	enum { HTTPS = 443 };
	const struct rules *rules = rules_current(worker->shared);
	bool name = conn->host.kind == HOST_NAME;
	struct refusal refusal;
	if (hello->encrypted && name && !rules_ech(rules, &conn->host, conn->port)) {
		*ret_fix = FIX_ECH;
		return "its TLS hello may hide another name (encrypted client hello)";
	}
	if (!hello->named && name && conn->port == HTTPS)
		return "a TLS hello without a server name";
	if (!name && hello->named) {
		struct host other = hello->host;
		rules_decide(rules, &worker->resolv, &other, conn->port, worker->routes, NULL,
			     &refusal);
		return refusal.deny ? deny_other(worker, conn, "TLS asks for a denied name",
						 &hello->host, conn->port)
				    : NULL;
	}
	if (hello->named && !resolv_same(&worker->resolv, &hello->host, &conn->host))
		return deny_other(worker, conn, "TLS asks for another name", &hello->host,
				  conn->port);
	if (name && (hello->encrypted || !hello->named))
		record_conn(worker, conn, VERDICT_ALLOWED, conn->rule.text,
			    hello->encrypted ? "encrypted client hello"
					     : "TLS without a server name",
			    FIX_NONE);
	return NULL;
}

// Lets the hello pass. Later bytes wait for the server's answer.
static enum turn pass_hello(struct worker *worker, struct conn *conn, const struct tls_hello *hello)
{
	struct flow *flow = &conn->flow[CLIENT];
	enum fix fix = FIX_NONE;
	const char *why = judge(worker, conn, hello, &fix);
	if (why)
		return deny_refuse(worker, conn, why, fix);
	// TLS after STARTTLS (`keeping`) carries no HTTP, the only protocol of the opener.
	if (!conn->keeping &&
	    rules_opened(rules_current(worker->shared), &conn->host, conn->port)) {
		conn->state = CONN_OPEN;
		return TURN_MOVED;
	}
	flow->cleared = (conn->keeping ? conn->kept : flow->start) + (uint32_t)hello->used;
	flow->allowance = conn->flow[SERVER].allowance = 0;
	conn->keeping = false;
	conn->retried = false;
	conn_read_anew(conn);
	conn->state = CONN_ANSWER;
	return TURN_MOVED;
}

enum turn hello_run(struct worker *worker, struct conn *conn)
{
	size_t length;
	struct tls_hello hello;
	const uint8_t *bytes = flow_unread(conn, &length);
	bool last = conn->flow[CLIENT].ended || length == BUFFER_SIZE;
	if (length < conn->hello_needs && !last)
		return TURN_WAIT;
	enum parse result = tls_hello(bytes, length, &hello);
	conn->hello_needs = (uint32_t)hello.used;
	if (result == PARSE_MORE && !last)
		return TURN_WAIT;
	if (result != PARSE_DONE)
		return deny_refuse(worker, conn, "no readable TLS hello", FIX_NONE);
	return pass_hello(worker, conn, &hello);
}

// Judges the second hello. Change-cipher-spec, early data or an alert may precede it (RFC 8446
// 4.2.10, D.4).
static void read_second(struct worker *worker, struct conn *conn)
{
	struct flow *flow = &conn->flow[CLIENT];
	while (flow->allowance == 0 && flow->cleared < flow->end) {
		const uint8_t *bytes = (const uint8_t *)conn->bytes[CLIENT] + flow->cleared;
		size_t length = flow->end - flow->cleared, size;
		uint8_t type;
		enum parse record = tls_record(bytes, length, &type, &size);
		if (record == PARSE_DONE && type != TLS_HANDSHAKE) {
			flow_clear(flow, size);
			conn->hello_needs = 0;
			continue;
		}
		struct tls_hello hello = { 0 };
		if (length < conn->hello_needs && length < BUFFER_SIZE)
			return;
		enum parse result =
			record == PARSE_DONE ? tls_hello(bytes, length, &hello) : record;
		conn->hello_needs = (uint32_t)hello.used;
		if (result == PARSE_MORE && length < BUFFER_SIZE)
			return;
		enum fix fix = FIX_NONE;
		const char *why = result == PARSE_DONE ? judge(worker, conn, &hello, &fix)
						       : "no readable second TLS hello";
		if (why) {
			deny_refuse(worker, conn, why, fix);
			return;
		}
		flow->cleared += (uint32_t)hello.used;
		conn->hello_needs = 0;
		conn->retried = false;
		return;
	}
}

static void read_answer(struct worker *worker, struct conn *conn)
{
	struct flow *flow = &conn->flow[SERVER];
	while (conn->state == CONN_ANSWER && !conn->retried && flow->allowance == 0 &&
	       flow->cleared < flow->end) {
		const uint8_t *bytes = (const uint8_t *)conn->bytes[SERVER] + flow->cleared;
		size_t length = flow->end - flow->cleared, size = 0;
		uint8_t type = 0;
		bool retry = false;
		enum parse record = tls_record(bytes, length, &type, &size);
		if (record == PARSE_MORE)
			return;
		if (record == PARSE_DONE && type != TLS_HANDSHAKE) {
			flow_clear(flow, size); // a warning, or change-cipher-spec
			continue;
		}
		enum parse answer =
			record == PARSE_DONE ? tls_answer(bytes, length, &retry) : record;
		if (answer == PARSE_MORE)
			return;
		if (answer == PARSE_BAD) {
			flow_clear(flow, UNLIMITED_PASS);
			return;
		}
		if (!retry) {
			route_tunnel(worker, conn);
			return;
		}
		flow_clear(flow, size);
		conn->retried = true;
	}
}

enum turn hello_run_answer(struct worker *worker, struct conn *conn)
{
	read_answer(worker, conn);
	if (conn->state == CONN_ANSWER && conn->retried)
		read_second(worker, conn);
	return conn->state != CONN_ANSWER ? TURN_MOVED : flow_write(worker, conn, SERVER);
}

enum turn hello_answered(struct worker *worker, struct conn *conn)
{
	const struct flow *out = &conn->flow[SERVER];
	(void)worker;
	return conn->flow[CLIENT].ended || (out->ended && flow_empty(out)) ? TURN_CLOSE : TURN_WAIT;
}

// The opener, the process that holds secrets, is between two connections. Budgets, records and
// rules belong to the first, which carries all bytes. Both end together.
static int pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
}

static void begin_second(struct worker *worker, const struct conn *first, struct conn *second,
			 int server)
{
	second->port = first->port;
	second->host = first->host;
	second->fd[SERVER] = server;
	second->dialing = DIAL_OPEN;
	conn_watch(worker, second, CLIENT, WATCHED_NOT);
	conn_watch(worker, second, SERVER, WATCHED_ALREADY);
	second->readable[SERVER] = true;
	route_tunnel(worker, second);
	conn_wake(worker, second);
}

static bool give(struct worker *worker, const struct conn *conn, const int *fds)
{
	struct opener_pair message = { .host = conn->host, .port = conn->port };
	return worker->opener >= 0 &&
	       fd_send(worker->opener, &message, sizeof(message), fds, 2) == 0;
}

enum turn hello_hand_over(struct worker *worker, struct conn *conn)
{
	if (conn->dialing != DIAL_OPEN)
		return TURN_WAIT;
	if (conn->flow[SERVER].end > 0)
		return deny_refuse(worker, conn, "the server speaks before the TLS hello",
				   FIX_NONE);
	int to_client[2] = { -1, -1 }, to_server[2] = { -1, -1 };
	bool made = pair(to_client) == 0 && pair(to_server) == 0;
	autoclose int ours_client = to_client[0], ours_server = to_server[0];
	autoclose int theirs_client = to_client[1], theirs_server = to_server[1];
	const int given[] = { theirs_client, theirs_server };
	struct conn *second = made ? conn_accept(worker, ours_server) : NULL;
	if (!second)
		return deny_refuse(worker, conn, "too many connections are open", FIX_NONE);
	take(&ours_server);
	if (!give(worker, conn, given)) {
		conn_end(worker, second, TURN_CLOSE);
		return deny_refuse(worker, conn, "the opener, which holds the secrets, has ended",
				   FIX_NONE);
	}
	begin_second(worker, conn, second, take(&conn->fd[SERVER]));
	conn->fd[SERVER] = take(&ours_client);
	conn_watch(worker, conn, SERVER, WATCHED_NOT);
	conn->readable[SERVER] = conn->closing[SERVER] = conn->awaits_room[SERVER] = false;
	route_tunnel(worker, conn);
	return TURN_MOVED;
}
