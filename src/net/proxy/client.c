// Owns the conversation with a client until it is plain bytes or HTTP.
#include "net/proxy/client.h"

#include <string.h>

#include "net/parse/opening.h"
#include "net/parse/tls.h"
#include "net/proxy/deny.h"
#include "net/proxy/dial.h"
#include "net/proxy/dns_server.h"
#include "net/proxy/exchange.h"
#include "net/proxy/explicit.h"
#include "net/proxy/flow.h"
#include "net/proxy/hello.h"
#include "net/proxy/inspect.h"
#include "net/proxy/route.h"
#include "net/rules/rules.h"
#include "net/setup/synthetic.h"

enum { HEAD_MILLISECONDS = 30000, TURNS_MOST = 16 };

static bool run_tunnel(struct worker *worker, struct conn *conn)
{
	flow_write(worker, conn, CLIENT);
	flow_write(worker, conn, SERVER);
	if (conn->flow[CLIENT].shut && conn->flow[SERVER].shut)
		conn_close(worker, conn);
	return false;
}

// Only HTTP and TLS are spoken at their own ports.
static bool is_web(const struct conn *conn)
{
	enum { HTTP = 80, HTTPS = 443 };
	return conn->port == HTTP || conn->port == HTTPS;
}

static bool refuse_unread(struct worker *worker, struct conn *conn)
{
	return deny_refuse(worker, conn,
			   is_web(conn)
				   ? "neither HTTP nor TLS, and sbx passes nothing unread"
				   : "neither HTTP, TLS nor SSH, and sbx passes nothing unread",
			   FIX_RAW);
}

static void begin_ssh(struct worker *worker, struct conn *conn)
{
	conn->state = CONN_SSH;
	if (conn->dialing == DIAL_OPEN)
		conn_deadline(worker, conn, HEAD_MILLISECONDS);
}

// The client is silent, the server is not.
static bool hear_server(struct worker *worker, struct conn *conn)
{
	const struct flow *flow = &conn->flow[SERVER];
	const uint8_t *bytes = (const uint8_t *)conn->buffer[SERVER] + flow->cleared;
	switch (opening_server(bytes, flow->end - flow->cleared)) {
	case GREETING_MORE:
		return false;
	case GREETING_SSH:
		if (is_web(conn))
			break;
		begin_ssh(worker, conn);
		return true;
	case GREETING_KNOWN:
		if (is_web(conn))
			break;
		route_inspect(worker, conn);
		return true;
	case GREETING_LEAVING:
		return deny_refuse(worker, conn, "the server speaks first, and in no greeting",
				   FIX_RAW);
	case GREETING_OTHER:
		break;
	}
	return refuse_unread(worker, conn);
}

// What cannot be read is not carried: to a name, unless its rule or its port says that it may.
static bool run_sniff(struct worker *worker, struct conn *conn)
{
	size_t length;
	if (conn->raw) {
		route_inspect(worker, conn);
		return true;
	}
	const uint8_t *bytes = flow_unread(conn, &length);
	if (length == 0 && (conn->flow[CLIENT].ended || conn->flow[SERVER].ended)) {
		conn_close(worker, conn);
		return false;
	}
	if (length == 0)
		return conn->heard[SERVER] && hear_server(worker, conn);
	if (!conn->reading_head) {
		conn->reading_head = true;
		if (conn->dialing == DIAL_OPEN)
			conn_deadline(worker, conn, HEAD_MILLISECONDS);
	}
	enum opening opening = opening_client(bytes, length);
	if (opening == OPENING_HTTP)
		opening = opening_burst(bytes, length);
	switch (opening) {
	case OPENING_MORE:
		return conn->flow[CLIENT].ended && refuse_unread(worker, conn);
	case OPENING_TLS:
		conn->state = CONN_HELLO;
		return true;
	case OPENING_HTTP:
		conn->state = CONN_REQUEST;
		return true;
	case OPENING_SSH:
		if (is_web(conn))
			break;
		begin_ssh(worker, conn);
		return true;
	case OPENING_OTHER:
		break;
	}
	return refuse_unread(worker, conn);
}

// One line of each side (RFC 4253 4.2); what the client says behind its own waits for the server's.
static bool run_ssh(struct worker *worker, struct conn *conn)
{
	enum { LINE_MOST = 255 };
	struct flow *in = &conn->flow[CLIENT], *out = &conn->flow[SERVER];
	size_t length;
	if (!conn->greeted && out->cleared < out->end) {
		enum greeting greeting =
			opening_server((const uint8_t *)conn->buffer[SERVER] + out->cleared,
				       out->end - out->cleared);
		if (greeting != GREETING_SSH && greeting != GREETING_MORE)
			return refuse_unread(worker, conn);
		conn->greeted = greeting == GREETING_SSH;
		if (conn->greeted)
			flow_clear(out, UNLIMITED_PASS);
	}
	// Unread from the line on, also when it has passed.
	if (!conn->keeping) {
		conn->keeping = true;
		conn->kept = in->start;
	}
	const uint8_t *bytes = flow_unread(conn, &length);
	const uint8_t *newline = memchr(bytes, '\n', length < LINE_MOST ? length : LINE_MOST);
	enum parse line = opening_ssh(bytes, newline ? (size_t)(newline - bytes) : length);
	if (line == PARSE_BAD || (!newline && (length >= LINE_MOST || in->ended)))
		return refuse_unread(worker, conn);
	if (newline)
		in->cleared = conn->kept + (uint32_t)(newline + 1 - bytes);
	if (newline && conn->greeted)
		route_inspect(worker, conn);
	flow_write(worker, conn, CLIENT);
	flow_write(worker, conn, SERVER);
	if (conn->state == CONN_SSH && out->ended && flow_empty(out))
		conn_close(worker, conn);
	return conn->state != CONN_SSH;
}

// What a connection does in each state. Before `run` the bytes that may pass are written and those
// of `reads` are read; afterwards what `run` let pass is written. `run` is true when it may go on
// at once. `patience` begins when the server is there.
static const struct state {
	enum { READS_NOTHING, READS_CLIENT, READS_BOTH } reads;
	bool (*run)(struct worker *worker, struct conn *conn);
	int patience; // milliseconds, 0: any time
	enum { EXPIRES_CLOSED, EXPIRES_RESET, EXPIRES_REFUSED, EXPIRES_LASTING } expires;
} states[] = {
	[CONN_FREE] = { 0 },
	[CONN_FIRST] = { READS_CLIENT, explicit_first, 0, EXPIRES_CLOSED },
	[CONN_GREETING] = { READS_CLIENT, explicit_greeting, 0, EXPIRES_CLOSED },
	[CONN_SOCKS] = { READS_CLIENT, explicit_socks, 0, EXPIRES_CLOSED },
	[CONN_DIAL] = { READS_NOTHING, explicit_dial, 0, EXPIRES_CLOSED },
	[CONN_SNIFF] = { READS_BOTH, run_sniff, 0, EXPIRES_REFUSED },
	[CONN_HELLO] = { READS_CLIENT, hello_run, HEAD_MILLISECONDS, EXPIRES_REFUSED },
	[CONN_ANSWER] = { READS_BOTH, hello_run_answer, HEAD_MILLISECONDS, EXPIRES_RESET },
	[CONN_SSH] = { READS_BOTH, run_ssh, HEAD_MILLISECONDS, EXPIRES_REFUSED },
	[CONN_REQUEST] = { READS_CLIENT, exchange_request, HEAD_MILLISECONDS, EXPIRES_REFUSED },
	[CONN_EXCHANGE] = { READS_BOTH, exchange_run, 0, EXPIRES_CLOSED },
	[CONN_INSPECT] = { READS_BOTH, inspect_run, LASTING_MILLISECONDS, EXPIRES_LASTING },
	[CONN_TUNNEL] = { READS_BOTH, run_tunnel, LASTING_MILLISECONDS, EXPIRES_LASTING },
	[CONN_DENY] = { READS_CLIENT, deny_run, 0, EXPIRES_RESET },
	[CONN_DRAIN] = { READS_CLIENT, deny_drain, 0, EXPIRES_CLOSED },
	[CONN_DNS] = { READS_CLIENT, dns_server_stream, 0, EXPIRES_CLOSED },
};
_Static_assert(sizeof(states) / sizeof(*states) == CONN_STATES, "a row for each state");

static bool write_both(struct worker *worker, struct conn *conn)
{
	bool moved = flow_write(worker, conn, CLIENT);
	return flow_write(worker, conn, SERVER) || moved;
}

// True when bytes moved.
static bool pump(struct worker *worker, struct conn *conn)
{
	const struct state *state = &states[conn->state];
	bool moved = write_both(worker, conn);
	conn->heard[CLIENT] = state->reads != READS_NOTHING && flow_read(worker, conn, CLIENT);
	conn->heard[SERVER] = state->reads == READS_BOTH && conn->dialing == DIAL_OPEN &&
			      flow_read(worker, conn, SERVER);
	return moved || conn->heard[CLIENT] || conn->heard[SERVER];
}

// What became of the dial since the last turn. False while the caller's own proxy has not answered.
static bool hear_dial(struct worker *worker, struct conn *conn)
{
	if (conn->dialing == DIAL_RESOLVED)
		dial_resolved(worker, conn);
	if (conn->dialing == DIAL_ASK && !dial_asked(worker, conn))
		return false;
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

// A few turns, then the others': one busy connection does not hold up the rest.
void client_run(struct worker *worker, struct conn *conn)
{
	for (int turn = 0; turn < TURNS_MOST && !conn->ending; turn++) {
		if (!hear_dial(worker, conn))
			return;
		bool moved = pump(worker, conn);
		if (conn->ending)
			return;
		moved = states[conn->state].run(worker, conn) || moved;
		if (!write_both(worker, conn) && !moved)
			return;
	}
	if (!conn->ending)
		conn_wake(worker, conn);
}

void client_expired(struct worker *worker, struct conn *conn)
{
	size_t length;
	conn_deadline(worker, conn, 0);
	if (conn->dialing == DIAL_LOOKUP || conn->dialing == DIAL_CONNECT ||
	    conn->dialing == DIAL_ASK) {
		dial_expired(worker, conn);
		return;
	}
	switch (states[conn->state].expires) {
	case EXPIRES_LASTING:
		dial_keep_alive(conn);
		return;
	case EXPIRES_REFUSED:
		// Bytes that began something and do not say in time what.
		flow_unread(conn, &length);
		if (length > 0 && !conn->explicit_proxy) {
			deny_refuse(worker, conn, "its first bytes are not whole after 30 s",
				    FIX_NONE);
			return;
		}
		break;
	case EXPIRES_RESET:
		conn_reset(worker, conn);
		return;
	case EXPIRES_CLOSED:
		break;
	}
	conn_close(worker, conn);
}
