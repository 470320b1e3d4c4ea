// Owns the table of a connection's states, and the states that detect the client's protocol.
#include "net/proxy/client.h"

#include <string.h>

#include "net/parse/parse.h"
#include "net/proxy/conn_record.h"
#include "net/proxy/deny.h"
#include "net/proxy/dial.h"
#include "net/proxy/dns_server.h"
#include "net/proxy/exchange.h"
#include "net/proxy/flow.h"
#include "net/proxy/hello.h"
#include "net/proxy/inspect.h"
#include "net/proxy/route.h"
#include "net/proxy/syn.h"

enum { HEAD_MILLISECONDS = 30000, TURNS_MAX = 16 };

static enum turn refuse_unread(struct worker *worker, struct conn *conn)
{
	return deny_refuse(worker, conn,
			   conn_is_web(conn)
				   ? "not HTTP or TLS; sbx passes only what it can read"
				   : "not HTTP, TLS or SSH; sbx passes only what it can read",
			   FIX_RAW);
}

static void begin_ssh(struct worker *worker, struct conn *conn)
{
	conn->state = CONN_SSH;
	if (conn->dialing == DIAL_OPEN)
		conn_deadline(worker, conn, HEAD_MILLISECONDS);
}

static enum turn hear_server(struct worker *worker, struct conn *conn)
{
	const struct flow *flow = &conn->flow[SERVER];
	const uint8_t *bytes = (const uint8_t *)conn->bytes[SERVER] + flow->cleared;
	switch (opening_server(bytes, flow->end - flow->cleared)) {
	case GREETING_MORE:
		return TURN_WAIT;
	case GREETING_SSH:
		if (conn_is_web(conn))
			break;
		begin_ssh(worker, conn);
		return TURN_MOVED;
	case GREETING_KNOWN:
		if (conn_is_web(conn))
			break;
		route_inspect(worker, conn);
		return TURN_MOVED;
	case GREETING_LEAVING:
		return deny_refuse(worker, conn,
				   "the server speaks first, without a known greeting", FIX_RAW);
	case GREETING_OTHER:
		break;
	}
	return refuse_unread(worker, conn);
}

// Detects the client's protocol. Refuses one that sbx cannot read, unless `raw` is set or the
// server's greeting is known.
static enum turn run_sniff(struct worker *worker, struct conn *conn)
{
	size_t length;
	if (conn->raw) {
		route_inspect(worker, conn);
		return TURN_MOVED;
	}
	const uint8_t *bytes = flow_unread(conn, &length);
	if (length == 0 && (conn->flow[CLIENT].ended || conn->flow[SERVER].ended))
		return TURN_CLOSE;
	if (length == 0)
		return conn->heard[SERVER] ? hear_server(worker, conn) : TURN_WAIT;
	if (!conn->reading_head) {
		conn->reading_head = true;
		if (conn->dialing == DIAL_OPEN)
			conn_deadline(worker, conn, HEAD_MILLISECONDS);
	}
	enum opening opening = opening_client(bytes, length);
	if (opening == OPENING_HTTP)
		opening = opening_burst(bytes, length, &conn->opening);
	switch (opening) {
	case OPENING_MORE:
		return conn->flow[CLIENT].ended ? refuse_unread(worker, conn) : TURN_WAIT;
	case OPENING_TLS:
		conn->state = CONN_HELLO;
		return TURN_MOVED;
	case OPENING_HTTP:
		conn->state = CONN_REQUEST;
		return TURN_MOVED;
	case OPENING_SSH:
		if (conn_is_web(conn))
			break;
		begin_ssh(worker, conn);
		return TURN_MOVED;
	case OPENING_OTHER:
		break;
	}
	return refuse_unread(worker, conn);
}

// RFC 4253 4.2: each side sends an identification line. Bytes after the client's line wait for the
// server's line.
static enum turn run_ssh(struct worker *worker, struct conn *conn)
{
	enum { LINE_BYTES_MAX = 255 };
	struct flow *in = &conn->flow[CLIENT], *out = &conn->flow[SERVER];
	size_t length;
	if (!conn->greeted && out->cleared < out->end) {
		enum greeting greeting =
			opening_server((const uint8_t *)conn->bytes[SERVER] + out->cleared,
				       out->end - out->cleared);
		if (greeting != GREETING_SSH && greeting != GREETING_MORE)
			return refuse_unread(worker, conn);
		conn->greeted = greeting == GREETING_SSH;
		if (conn->greeted)
			flow_clear(out, UNLIMITED_PASS);
	}
	if (!conn->keeping) {
		conn->keeping = true;
		conn->kept = in->start;
	}
	const uint8_t *bytes = flow_unread(conn, &length);
	const uint8_t *newline =
		memchr(bytes, '\n', length < LINE_BYTES_MAX ? length : LINE_BYTES_MAX);
	enum parse line = opening_ssh(bytes, newline ? (size_t)(newline - bytes) : length);
	if (line == PARSE_BAD || (!newline && (length >= LINE_BYTES_MAX || in->ended)))
		return refuse_unread(worker, conn);
	if (newline)
		in->cleared = conn->kept + (uint32_t)(newline + 1 - bytes);
	if (newline && conn->greeted)
		route_inspect(worker, conn);
	return conn->state == CONN_SSH ? TURN_WAIT : TURN_MOVED;
}

static enum turn ssh_written(struct worker *worker, struct conn *conn)
{
	const struct flow *out = &conn->flow[SERVER];
	(void)worker;
	return out->ended && flow_empty(out) ? TURN_CLOSE : TURN_WAIT;
}

static enum turn both_shut(struct worker *worker, struct conn *conn)
{
	(void)worker;
	return conn->flow[CLIENT].shut && conn->flow[SERVER].shut ? TURN_CLOSE : TURN_WAIT;
}

static enum turn stay(struct worker *worker, struct conn *conn)
{
	(void)worker;
	(void)conn;
	return TURN_WAIT;
}

static enum turn expire_close(struct worker *worker, struct conn *conn)
{
	(void)worker;
	(void)conn;
	return TURN_CLOSE;
}

static enum turn expire_reset(struct worker *worker, struct conn *conn)
{
	(void)worker;
	(void)conn;
	return TURN_RESET;
}

static enum turn expire_refuse_or_close(struct worker *worker, struct conn *conn)
{
	size_t length;
	flow_unread(conn, &length);
	if (length == 0 || conn->explicit_proxy)
		return TURN_CLOSE;
	return deny_refuse(worker, conn, "its first bytes were not complete after 30 s", FIX_NONE);
}

static enum turn expire_lasting(struct worker *worker, struct conn *conn)
{
	(void)worker;
	dial_keep_alive(conn);
	return TURN_WAIT;
}

static enum turn explicit_first(struct worker *worker, struct conn *conn)
{
	size_t length;
	const uint8_t *bytes = flow_unread(conn, &length);
	(void)worker;
	if (length == 0)
		return conn->flow[CLIENT].ended ? TURN_CLOSE : TURN_WAIT;
	conn->state = bytes[0] == SOCKS_VERSION ? CONN_GREETING : CONN_REQUEST;
	conn->socks = conn->state == CONN_GREETING;
	return TURN_MOVED;
}

static enum turn explicit_greeting(struct worker *worker, struct conn *conn)
{
	static const uint8_t open_answer[] = { SOCKS_VERSION, 0 }, none[] = { SOCKS_VERSION, 0xff };
	size_t length, used;
	bool open;
	const uint8_t *bytes = flow_unread(conn, &length);
	enum parse result = socks_greeting(bytes, length, &used, &open);
	(void)worker;
	if (result == PARSE_MORE && !conn->flow[CLIENT].ended)
		return TURN_WAIT;
	if (result != PARSE_DONE)
		return TURN_CLOSE;
	flow_skip(&conn->flow[CLIENT], (uint32_t)used);
	flow_say(conn, open ? open_answer : none, sizeof(none));
	conn->state = open ? CONN_SOCKS : CONN_DRAIN;
	return TURN_MOVED;
}

static enum turn explicit_socks(struct worker *worker, struct conn *conn)
{
	size_t length;
	struct socks_request request;
	const uint8_t *bytes = flow_unread(conn, &length);
	enum parse result = socks_request(bytes, length, &request);
	if (result == PARSE_MORE && !conn->flow[CLIENT].ended)
		return TURN_WAIT;
	if (result != PARSE_DONE)
		return deny_socks(worker, conn, SOCKS_FAILED);
	flow_skip(&conn->flow[CLIENT], (uint32_t)request.used);
	if (!request.connect)
		return deny_socks(worker, conn, SOCKS_NO_COMMAND);
	conn->state = CONN_DIAL;
	if (!route_to(worker, conn, &request.host, request.port))
		return deny_socks(worker, conn, SOCKS_DENIED);
	return TURN_MOVED;
}

static enum turn explicit_dial(struct worker *worker, struct conn *conn)
{
	static const char connected[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	static const uint8_t socks[] = { SOCKS_VERSION, SOCKS_OK, 0, 1, 0, 0, 0, 0, 0, 0 };
	(void)worker;
	if (conn->dialing != DIAL_OPEN)
		return TURN_WAIT;
	flow_say(conn, conn->socks ? (const void *)socks : connected,
		 conn->socks ? sizeof(socks) : sizeof(connected) - 1);
	conn->state = CONN_SNIFF;
	conn_read_anew(conn);
	conn->explicit_proxy = false;
	return TURN_MOVED;
}

// A turn writes cleared bytes, reads from `reads`, calls `run`, and writes again. It calls
// `written` if `run` did not change the state. `expired` is called at the deadline, by default
// `patience` milliseconds after the server was connected; 0: none.
#define STATES(ROW)                                                                                \
	ROW(SYN, READS_NOTHING, syn_run, stay, 0, syn_expired)                                     \
	ROW(FIRST, READS_CLIENT, explicit_first, stay, 0, expire_close)                            \
	ROW(GREETING, READS_CLIENT, explicit_greeting, stay, 0, expire_close)                      \
	ROW(SOCKS, READS_CLIENT, explicit_socks, stay, 0, expire_close)                            \
	ROW(DIAL, READS_NOTHING, explicit_dial, stay, 0, expire_close)                             \
	ROW(SNIFF, READS_BOTH, run_sniff, stay, 0, expire_refuse_or_close)                         \
	ROW(HELLO, READS_CLIENT, hello_run, stay, HEAD_MILLISECONDS, expire_refuse_or_close)       \
	ROW(OPEN, READS_NOTHING, hello_hand_over, stay, HEAD_MILLISECONDS, expire_reset)           \
	ROW(ANSWER, READS_BOTH, hello_run_answer, hello_answered, HEAD_MILLISECONDS, expire_reset) \
	ROW(SSH, READS_BOTH, run_ssh, ssh_written, HEAD_MILLISECONDS, expire_refuse_or_close)      \
	ROW(REQUEST, READS_CLIENT, exchange_request, stay, HEAD_MILLISECONDS,                      \
	    expire_refuse_or_close)                                                                \
	ROW(EXCHANGE, READS_BOTH, exchange_run, exchange_written, 0, expire_close)                 \
	ROW(INSPECT, READS_BOTH, inspect_run, both_shut, LASTING_MILLISECONDS, expire_lasting)     \
	ROW(TUNNEL, READS_BOTH, stay, both_shut, LASTING_MILLISECONDS, expire_lasting)             \
	ROW(DENY, READS_CLIENT, deny_run, stay, 0, expire_reset)                                   \
	ROW(DRAIN, READS_CLIENT, deny_drain, deny_drained, 0, expire_close)                        \
	ROW(DNS, READS_CLIENT, dns_server_stream, stay, 0, expire_close)

#define AS_ROW(name, reads, run, written, patience, expired)                                       \
	[CONN_##name] = { reads, run, written, patience, expired },
static const struct state {
	enum { READS_NOTHING, READS_CLIENT, READS_BOTH } reads;
	enum turn (*run)(struct worker *worker, struct conn *conn);
	enum turn (*written)(struct worker *worker, struct conn *conn);
	int patience;
	enum turn (*expired)(struct worker *worker, struct conn *conn);
} states[CONN_STATES] = { STATES(AS_ROW) };
#define COUNT(...) +1
_Static_assert(STATES(COUNT) == CONN_STATES - CONN_SYN, "a row for each state");

// Keeps the larger result. Returns false if the connection must end.
static bool goes_on(enum turn *turn, enum turn next)
{
	*turn = next > *turn ? next : *turn;
	return *turn < TURN_CLOSE;
}

static enum turn write_both(struct worker *worker, struct conn *conn)
{
	enum turn turn = flow_write(worker, conn, CLIENT);
	if (turn < TURN_CLOSE)
		goes_on(&turn, flow_write(worker, conn, SERVER));
	return turn;
}

static enum turn read_both(struct worker *worker, struct conn *conn, const struct state *state)
{
	enum turn client = TURN_WAIT, server = TURN_WAIT;
	if (state->reads != READS_NOTHING)
		client = flow_read(worker, conn, CLIENT);
	if (client < TURN_CLOSE && state->reads == READS_BOTH && conn->dialing == DIAL_OPEN)
		server = flow_read(worker, conn, SERVER);
	conn->heard[CLIENT] = client == TURN_MOVED;
	conn->heard[SERVER] = server == TURN_MOVED;
	return client > server ? client : server;
}

// Returns false if the connection has ended, or waits for the upstream proxy or a person's answer.
static bool hear_dial(struct worker *worker, struct conn *conn)
{
	if (conn->dialing == DIAL_HELD)
		return false;
	if (conn->dialing == DIAL_RESOLVED)
		route_resolved(worker, conn);
	if (conn->dialing == DIAL_READY && conn->state != CONN_SYN && conn->state != CONN_SNIFF &&
	    conn->state != CONN_REQUEST)
		dial_ask(worker, conn);
	if (conn->dialing == DIAL_ASK && !dial_asked(worker, conn))
		return false;
	if (conn->dialing == DIAL_FAILED && conn->published) {
		conn_end(worker, conn, TURN_RESET);
		return false;
	}
	if (conn->dialing == DIAL_FAILED)
		deny_failed(worker, conn);
	if (conn->opened)
		conn_deadline(worker, conn,
			      conn->state == CONN_SNIFF && conn->reading_head
				      ? HEAD_MILLISECONDS
				      : states[conn->state].patience);
	conn->opened = false;
	return true;
}

static enum turn take_turn(struct worker *worker, struct conn *conn)
{
	const struct state *state = &states[conn->state];
	enum turn turn = TURN_WAIT;
	if (goes_on(&turn, write_both(worker, conn)) &&
	    goes_on(&turn, read_both(worker, conn, state)) &&
	    goes_on(&turn, state->run(worker, conn)) && goes_on(&turn, write_both(worker, conn)) &&
	    state == &states[conn->state])
		goes_on(&turn, state->written(worker, conn));
	return turn;
}

static void turn_away(struct worker *worker, struct conn *conn)
{
	static const char why[] = "too much is watched (fs.epoll.max_user_watches)";
	conn->unwatched = false;
	record_conn(worker, conn, VERDICT_FAILED, conn->rule.text, why, FIX_NONE);
	memcpy(conn->problem, why, sizeof(why));
	conn_close_server(conn);
	deny_http(worker, conn, 503);
}

// Runs at most TURNS_MAX turns: a busy connection must not delay others.
enum turn client_run(struct worker *worker, struct conn *conn)
{
	enum turn turn = TURN_MOVED;
	if (conn->unwatched && conn->state != CONN_SYN)
		turn_away(worker, conn);
	for (int i = 0; i < TURNS_MAX && turn == TURN_MOVED; i++) {
		if (!hear_dial(worker, conn))
			return TURN_WAIT;
		turn = take_turn(worker, conn);
	}
	return turn;
}

enum turn client_expired(struct worker *worker, struct conn *conn)
{
	conn_deadline(worker, conn, 0);
	if (conn->dialing == DIAL_HELD) {
		route_expired(worker, conn);
		return TURN_MOVED;
	}
	if (conn->dialing == DIAL_READY && conn->state != CONN_SYN) {
		dial_ask(worker, conn);
		return TURN_MOVED;
	}
	if (conn->dialing == DIAL_LOOKUP || conn->dialing == DIAL_CONNECT ||
	    conn->dialing == DIAL_ASK) {
		dial_expired(worker, conn);
		return TURN_MOVED;
	}
	return states[conn->state].expired(worker, conn);
}
