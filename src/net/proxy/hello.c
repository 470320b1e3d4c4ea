// Owns TLS until nothing of it is readable: each hello of a client is judged, also the second one
// that a server asks for (HelloRetryRequest, RFC 8446 4.1.4).
#include "net/proxy/hello.h"

#include "net/parse/tls.h"
#include "net/proxy/deny.h"
#include "net/proxy/flow.h"
#include "net/proxy/record.h"
#include "net/proxy/route.h"
#include "net/proxy/state.h"
#include "net/rules/rules.h"

// The name that TLS asks for is the name that was decided on; else the certificate, and what is
// behind it, would be somebody else's on the same address. Rule 29.
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
		rules_decide(rules, &hello->host, conn->port, worker->routes, &refusal);
		return refusal.deny ? "TLS asks for a denied name" : NULL;
	}
	if (hello->named && !host_equal(&hello->host, &conn->host))
		return "TLS asks for another name";
	// What was not looked into is in the log.
	if (name && (hello->encrypted || !hello->named))
		conn->record = record_conn(worker, conn, VERDICT_ALLOWED, conn->rule.text,
					   hello->encrypted ? "encrypted client hello"
							    : "TLS without a server name",
					   FIX_NONE);
	return NULL;
}

// Lets a hello pass that begins at the first unread byte, and holds what follows until the server's
// answer; or refuses it.
static void pass_hello(struct worker *worker, struct conn *conn, const struct tls_hello *hello)
{
	struct flow *flow = &conn->flow[CLIENT];
	enum fix fix = FIX_NONE;
	const char *why = judge(worker, conn, hello, &fix);
	if (why) {
		deny_refuse(worker, conn, why, fix);
		return;
	}
	flow->cleared = (conn->keeping ? conn->kept : flow->start) + (uint32_t)hello->used;
	flow->allowance = conn->flow[SERVER].allowance = 0;
	conn->keeping = false;
	conn->retried = false;
	conn->state = CONN_ANSWER;
}

bool hello_run(struct worker *worker, struct conn *conn)
{
	size_t length;
	struct tls_hello hello;
	const uint8_t *bytes = flow_unread(conn, &length);
	enum parse result = tls_hello(bytes, length, &hello);
	if (result == PARSE_MORE && !conn->flow[CLIENT].ended && length < BUFFER_SIZE)
		return false;
	if (result != PARSE_DONE)
		return deny_refuse(worker, conn, "no readable TLS hello", FIX_NONE);
	pass_hello(worker, conn, &hello);
	return true;
}

// After a HelloRetryRequest: change-cipher-spec, early data (RFC 8446 4.2.10, D.4) or an alert may
// come before the second hello.
static void read_second(struct worker *worker, struct conn *conn)
{
	struct flow *flow = &conn->flow[CLIENT];
	while (flow->allowance == 0 && flow->cleared < flow->end) {
		const uint8_t *bytes = (const uint8_t *)conn->buffer[CLIENT] + flow->cleared;
		size_t length = flow->end - flow->cleared, size;
		uint8_t type;
		enum parse record = tls_record(bytes, length, &type, &size);
		if (record == PARSE_DONE && type != TLS_HANDSHAKE) {
			flow_clear(flow, size);
			continue;
		}
		struct tls_hello hello;
		enum parse result =
			record == PARSE_DONE ? tls_hello(bytes, length, &hello) : record;
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
		conn->retried = false; // and the server's next answer is read as the first was
		return;
	}
}

// What the server says up to its hello.
static void read_answer(struct worker *worker, struct conn *conn)
{
	struct flow *flow = &conn->flow[SERVER];
	while (conn->state == CONN_ANSWER && !conn->retried && flow->allowance == 0 &&
	       flow->cleared < flow->end) {
		const uint8_t *bytes = (const uint8_t *)conn->buffer[SERVER] + flow->cleared;
		size_t length = flow->end - flow->cleared, size = 0;
		uint8_t type = 0;
		bool retry = false;
		enum parse record = tls_record(bytes, length, &type, &size);
		if (record == PARSE_MORE)
			return;
		if (record == PARSE_DONE && type != TLS_HANDSHAKE) {
			flow_clear(flow, size); // a warning; a change-cipher-spec after a retry
			continue;
		}
		enum parse answer =
			record == PARSE_DONE ? tls_answer(bytes, length, &retry) : record;
		if (answer == PARSE_MORE)
			return;
		if (answer == PARSE_BAD) {
			// No TLS: the client may read that, and has nothing more to say.
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

bool hello_run_answer(struct worker *worker, struct conn *conn)
{
	read_answer(worker, conn);
	if (conn->state == CONN_ANSWER && conn->retried)
		read_second(worker, conn);
	if (conn->state != CONN_ANSWER)
		return true;
	flow_write(worker, conn, SERVER);
	flow_write(worker, conn, CLIENT);
	// Who leaves before the answer, leaves for good.
	if (conn->flow[CLIENT].ended ||
	    (conn->flow[SERVER].ended && flow_empty(&conn->flow[SERVER])))
		conn_close(worker, conn);
	return false;
}
