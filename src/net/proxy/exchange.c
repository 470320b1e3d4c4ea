// Owns HTTP between a client and a server: one request and its response at a time. Each head is
// read completely before it passes.
#include "net/proxy/exchange.h"

#include <string.h>

#include "net/parse/parse.h"
#include "net/proxy/deny.h"
#include "net/proxy/dial.h"
#include "net/proxy/flow.h"
#include "net/proxy/conn_record.h"
#include "net/proxy/route.h"
#include "net/proxy/worker_state.h"

enum { IDLE_MILLISECONDS = 120000, HEAD_MILLISECONDS = 30000, PROXY_REFUSES = 407 };

// True at the end of a head, and each time its length has doubled: bad bytes are refused early.
static bool is_due(struct conn *conn, enum peer_side from, const char *bytes, size_t length)
{
	struct head_read *head = &conn->head[from];
	bool due = http_has_end(bytes, length, &head->searched) || conn->flow[from].ended ||
		   length == BUFFER_SIZE || length >= 2 * head->parsed;
	head->parsed = due ? (uint32_t)length : head->parsed;
	return due;
}

static enum turn refuse(struct worker *worker, struct conn *conn, int status, const char *why)
{
	if (why != conn->problem)
		strncpy(conn->problem, why, sizeof(conn->problem) - 1);
	if (status == 403 || (status == 400 && conn->recorded))
		record_conn(worker, conn, VERDICT_DENIED, "", why, FIX_NONE);
	return deny_http(worker, conn, status);
}

static uint64_t passes(enum http_body body, uint64_t length)
{
	return body == BODY_LENGTH ? length : body == BODY_UNTIL_CLOSE ? UNLIMITED_PASS : 0;
}

// Rewrites the head in place. `place`: "", or the URL's origin for an upstream proxy, whose
// password is then added. Returns 0 without room.
static size_t rewrite(struct worker *worker, struct conn *conn, const struct http_request *request,
		      const char *place)
{
	char rewritten[BUFFER_SIZE + AUTHORIZATION_MAX + DIAL_PLACE_MAX];
	struct flow *flow = &conn->flow[CLIENT];
	char *buffer = conn->bytes[CLIENT], *bytes = buffer + flow->start;
	size_t head =
		http_rewrite(bytes, request, place, *place ? worker->authorization : "", rewritten);
	size_t rest = flow->end - flow->start - request->head;
	if (head + rest > BUFFER_SIZE)
		return 0;
	memmove(buffer + head, bytes + request->head, rest);
	memcpy(buffer, rewritten, head);
	conn->keeping = false;
	flow->start = 0;
	flow->end = (uint32_t)(head + rest);
	conn_hold(worker, conn, flow->end > SMALL_BYTES);
	return head;
}

static size_t choose_form(struct worker *worker, struct conn *conn,
			  const struct http_request *request)
{
	char place[DIAL_PLACE_MAX] = "http://";
	const char *target = conn->bytes[CLIENT] + conn->flow[CLIENT].start + request->path;
	bool asks = dial_takes_requests(worker, conn) && !request->upgrade && *target != '*';
	dial_place(conn, place + strlen(place));
	size_t head = asks ? rewrite(worker, conn, request, place) : 0;
	if (conn->absolute && !head) {
		conn_close_server(conn);
		conn->absolute = false;
		dial_begin(worker, conn);
	}
	conn->absolute = head > 0;
	if (conn->absolute && conn->dialing == DIAL_READY) {
		conn->dialing = DIAL_OPEN;
		conn->opened = true;
	}
	if (!head && (conn->explicit_proxy || request->other_upgrade))
		head = rewrite(worker, conn, request, "");
	return head ? head : request->head;
}

static void begin_exchange(struct worker *worker, struct conn *conn,
			   const struct http_request *request)
{
	struct flow *flow = &conn->flow[CLIENT];
	size_t head = choose_form(worker, conn, request);
	conn_read_anew(conn);
	conn->asks_head = request->asks_head;
	conn->upgrade = request->upgrade;
	conn->keep_alive = request->keep_alive;
	conn->request_body = request->body;
	conn->request_chunk = CHUNK_SIZE;
	conn->request_done = request->body == BODY_NONE;
	conn->response_head = true;
	conn->response_done = false;
	conn->flow[SERVER].allowance = 0;
	flow->cleared = conn->keeping ? conn->kept : flow->start;
	flow_clear(flow, head);
	conn->keeping = false;
	conn->request_length = request->length;
	conn->state = CONN_EXCHANGE;
	if (conn->dialing == DIAL_OPEN)
		conn_deadline(worker, conn, 0);
}

static enum turn begin_explicit(struct worker *worker, struct conn *conn,
				struct http_request *request)
{
	struct flow *flow = &conn->flow[CLIENT];
	uint16_t port = request->port ? request->port : 80;
	if (!request->absolute)
		return refuse(worker, conn, 400,
			      "this is sbx's proxy: it expects CONNECT or http://host/path");
	if (request->secure)
		return refuse(worker, conn, 400, "sbx's proxy takes https only by CONNECT");
	bool same = conn->dialing == DIAL_OPEN && conn->port == port &&
		    host_equal(&conn->host, &request->host);
	if (request->connect) {
		conn_close_server(conn);
		flow_skip(flow, (uint32_t)request->head);
		conn->state = CONN_DIAL;
	} else if (!same) {
		conn_close_server(conn);
		conn->state = CONN_EXCHANGE;
	}
	if ((request->connect || !same) && !route_to(worker, conn, &request->host, port)) {
		strncpy(conn->problem, conn->record.why, sizeof(conn->problem) - 1);
		return deny_http(worker, conn, 403);
	}
	if (!request->connect)
		begin_exchange(worker, conn, request);
	return TURN_MOVED;
}

static enum turn begin_request(struct worker *worker, struct conn *conn,
			       struct http_request *request)
{
	uint16_t port = request->port ? request->port : conn->port;
	if (conn->explicit_proxy)
		return begin_explicit(worker, conn, request);
	if (request->connect)
		return refuse(worker, conn, 403,
			      deny_other(worker, conn,
					 "CONNECT to a server would be a tunnel to another host",
					 &request->host, port));
	if (!request->has_host && conn->host.kind == HOST_NAME)
		return refuse(worker, conn, 403, "the request names no host");
	if (request->has_host &&
	    (!resolv_same(&worker->resolv, &request->host, &conn->host) || port != conn->port))
		return refuse(worker, conn, 403,
			      deny_other(worker, conn, "the request names another host",
					 &request->host, port));
	// An upgrade such as h2c can be dropped only from a whole head.
	bool whole = !conn->keeping || conn->kept == conn->flow[CLIENT].start;
	if (request->other_upgrade && !whole)
		return refuse(worker, conn, 400, "an upgrade to a protocol that sbx does not read");
	begin_exchange(worker, conn, request);
	return TURN_MOVED;
}

enum turn exchange_request(struct worker *worker, struct conn *conn)
{
	struct http_request request;
	struct flow *flow = &conn->flow[CLIENT];
	// The server has closed between two requests: the next one needs a new connection.
	if (conn->dialing == DIAL_OPEN && conn->closing[SERVER] && conn->response_done) {
		if (!conn->explicit_proxy && flow->start == flow->end)
			return TURN_CLOSE;
		conn_close_server(conn);
		if (!conn->explicit_proxy)
			dial_begin(worker, conn);
	}
	size_t length;
	const char *bytes = (const char *)flow_unread(conn, &length);
	enum parse result = is_due(conn, CLIENT, bytes, length)
				    ? http_request(bytes, length, &request)
				    : PARSE_MORE;
	if (result == PARSE_DONE)
		return begin_request(worker, conn, &request);
	if (length == 0 && flow->ended)
		return TURN_CLOSE;
	bool prior = length >= 5 && memcmp(bytes, "PRI *", 5) == 0;
	if (result == PARSE_BAD || flow->ended || length == BUFFER_SIZE)
		return refuse(worker, conn, 400,
			      prior ? "HTTP/2 without TLS, which sbx does not read"
				    : "a request that could be read in two ways");
	if (length > 0 && !conn->reading_head) {
		conn->reading_head = true;
		if (conn->dialing == DIAL_OPEN || conn->dialing == DIAL_NONE)
			conn_deadline(worker, conn, HEAD_MILLISECONDS);
	}
	return TURN_WAIT;
}

// Returns false if the body begins like a request: a server that ignores the body of GET reads it
// as one.
static bool read_body(struct conn *conn)
{
	struct flow *flow = &conn->flow[CLIENT];
	uint64_t there = flow->end - flow->cleared, length = conn->request_length;
	there = there < length ? there : length;
	const char *bytes = conn->bytes[CLIENT] + flow->cleared;
	enum parse request = opening_body((const uint8_t *)bytes, (size_t)there, &conn->opening);
	if (request == PARSE_DONE)
		return false;
	if (request == PARSE_MORE && there < length && !flow->ended)
		return true;
	conn->request_length = 0;
	flow_clear(flow, length);
	return true;
}

static bool read_chunks(struct conn *conn, enum peer_side from, enum http_chunk *at)
{
	struct flow *flow = &conn->flow[from];
	while (*at != CHUNK_DONE && flow->allowance == 0 && flow->cleared < flow->end) {
		size_t used = 0;
		uint64_t data = 0;
		enum parse result = http_chunk(conn->bytes[from] + flow->cleared,
					       flow->end - flow->cleared, at, &used, &data);
		if (result == PARSE_MORE)
			return flow->end - flow->cleared < BUFFER_SIZE / 2;
		if (result == PARSE_BAD)
			return false;
		flow->cleared += (uint32_t)used;
		if (data) {
			*at = CHUNK_END;
			flow_clear(flow, data);
		}
	}
	return true;
}

static bool body_done(const struct flow *flow, enum http_body body, enum http_chunk at)
{
	switch (body) {
	case BODY_NONE:
		return true;
	case BODY_LENGTH:
		return flow->allowance == 0;
	case BODY_CHUNKED:
		return at == CHUNK_DONE;
	case BODY_UNTIL_CLOSE:
		return flow->ended;
	}
	return true;
}

// Reads 1xx heads before the response's. 101 ends HTTP.
static bool read_response(struct worker *worker, struct conn *conn)
{
	struct flow *flow = &conn->flow[SERVER];
	struct http_response response;
	while (conn->response_head && flow->cleared < flow->end) {
		size_t length = flow->end - flow->cleared;
		const char *bytes = conn->bytes[SERVER] + flow->cleared;
		enum parse result =
			is_due(conn, SERVER, bytes, length)
				? http_response(bytes, length, conn->asks_head, &response)
				: PARSE_MORE;
		if (result == PARSE_MORE)
			return length < BUFFER_SIZE && !flow->ended;
		if (result == PARSE_BAD || (conn->absolute && response.status == PROXY_REFUSES) ||
		    (response.status == 101 && !(conn->upgrade && response.upgrade)))
			return false;
		flow_clear(flow, response.head);
		conn->head[SERVER] = (struct head_read){ 0 };
		if (response.status == 101) {
			route_inspect(worker, conn);
			return true;
		}
		if (response.status < 200)
			continue;
		conn->response_head = false;
		conn->response_body = response.body;
		conn->response_chunk = CHUNK_SIZE;
		conn->keep_alive = conn->keep_alive && response.keep_alive;
		if (response.body != BODY_CHUNKED)
			flow_clear(flow, passes(response.body, response.length));
	}
	return !(conn->response_head && flow->ended);
}

static enum turn finish(struct worker *worker, struct conn *conn)
{
	const struct flow *out = &conn->flow[SERVER];
	if (!conn->keep_alive || !conn->request_done || out->cleared < out->end ||
	    !flow_empty(&conn->flow[CLIENT])) {
		conn->state = CONN_DRAIN;
		conn_close_server(conn);
		conn_deadline(worker, conn, 1000);
		return TURN_MOVED;
	}
	conn->state = CONN_REQUEST;
	conn_read_anew(conn);
	conn->reading_head = false;
	conn_deadline(worker, conn, IDLE_MILLISECONDS);
	return TURN_MOVED;
}

enum turn exchange_run(struct worker *worker, struct conn *conn)
{
	struct flow *in = &conn->flow[CLIENT], *out = &conn->flow[SERVER];
	if (!conn->request_done) {
		if ((conn->request_length && !read_body(conn)) ||
		    (conn->request_body == BODY_CHUNKED &&
		     !read_chunks(conn, CLIENT, &conn->request_chunk)))
			return refuse(worker, conn, 400, "a body that could be read in two ways");
		conn->request_done = !conn->request_length &&
				     body_done(in, conn->request_body, conn->request_chunk);
	}
	if (conn->response_head && !read_response(worker, conn)) {
		strncpy(conn->problem, "the upstream proxy refused it", sizeof(conn->problem) - 1);
		if (out->cleared == out->start && out->start == 0 && conn->absolute)
			return deny_failed(worker, conn);
		if (out->cleared == out->start && out->start == 0)
			return refuse(worker, conn, 502, "the server's answer is not HTTP/1.1");
		return TURN_CLOSE;
	}
	if (conn->state != CONN_EXCHANGE)
		return TURN_MOVED;
	if (!conn->response_head) {
		if (conn->response_body == BODY_CHUNKED &&
		    !read_chunks(conn, SERVER, &conn->response_chunk))
			return TURN_CLOSE;
		conn->response_done = body_done(out, conn->response_body, conn->response_chunk);
	}
	return TURN_WAIT;
}

enum turn exchange_written(struct worker *worker, struct conn *conn)
{
	const struct flow *in = &conn->flow[CLIENT], *out = &conn->flow[SERVER];
	if (conn->response_done && flow_empty(out))
		return finish(worker, conn);
	bool left = (in->ended && flow_empty(in) && !conn->request_done) ||
		    (out->ended && flow_empty(out) && !conn->response_done);
	return left ? TURN_CLOSE : TURN_WAIT;
}
