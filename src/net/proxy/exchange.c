// Owns HTTP between a client and a server: one request and its response at a time, each head read
// whole before a byte of it passes.
#include <string.h>

#include "net/parse/opening.h"
#include "net/proxy/worker.h"

enum { IDLE_MILLISECONDS = 120000, HEAD_MILLISECONDS = 30000 };

static bool refuse(struct worker *worker, struct slot *slot, int status, const char *why)
{
	strncpy(slot->problem, why, sizeof(slot->problem) - 1);
	if (status == 403 || (status == 400 && slot->record >= 0))
		slot->record = record_slot(worker, slot, VERDICT_DENIED, "", why, FIX_NONE);
	deny_http(worker, slot, status);
	return true;
}

static uint64_t passes(enum http_body body, uint64_t length)
{
	return body == BODY_LENGTH ? length : body == BODY_UNTIL_CLOSE ? UNLIMITED_PASS : 0;
}

// Lets the head at `start` pass, and as much of the body as needs no reading.
static void begin_exchange(struct worker *worker, struct slot *slot, size_t head,
			   const struct http_request *request)
{
	struct flow *flow = &slot->flow[CLIENT];
	slot->asks_head = request->asks_head;
	slot->upgrade = request->upgrade;
	slot->keep_alive = request->keep_alive;
	slot->request_body = request->body;
	slot->request_chunk = CHUNK_SIZE;
	slot->request_done = request->body == BODY_NONE;
	slot->response_head = true;
	slot->response_done = false;
	slot->flow[SERVER].allowance = 0;
	flow->cleared = slot->keeping ? slot->kept : flow->start;
	flow_clear(flow, head);
	slot->keeping = false;
	slot->request_length = request->length;
	slot->talk = TALK_EXCHANGE;
	if (slot->dialing == DIAL_OPEN)
		slot_deadline(worker, slot, 0);
}

// The head as the server gets it, in place, at the end of where the longer one was.
static size_t rewrite(struct slot *slot, const struct http_request *request)
{
	char rewritten[BUFFER_SIZE];
	slot->keeping = false;
	struct flow *flow = &slot->flow[CLIENT];
	size_t head = http_rewrite(slot->buffer[CLIENT] + flow->start, request, rewritten);
	flow->start += (uint32_t)(request->head - head);
	memcpy(slot->buffer[CLIENT] + flow->start, rewritten, head);
	return head;
}

// The request is for the explicit proxy: it names its server itself.
static bool begin_explicit(struct worker *worker, struct slot *slot, struct http_request *request)
{
	struct flow *flow = &slot->flow[CLIENT];
	uint16_t port = request->port ? request->port : 80;
	if (!request->absolute)
		return refuse(worker, slot, 400,
			      "this is sbx's proxy: it wants CONNECT or http://host/path");
	if (request->secure)
		return refuse(worker, slot, 400, "sbx's proxy takes https only by CONNECT");
	bool same = slot->dialing == DIAL_OPEN && slot->port == port &&
		    host_equal(&slot->host, &request->host);
	if (request->connect) {
		slot_close_server(slot);
		flow_skip(flow, (uint32_t)request->head);
		slot->talk = TALK_DIAL;
	} else if (!same) {
		slot_close_server(slot);
		slot->talk = TALK_EXCHANGE;
	}
	if ((request->connect || !same) && !talk_to(worker, slot, &request->host, port)) {
		strncpy(slot->problem, worker->records[slot->record].why,
			sizeof(slot->problem) - 1);
		deny_http(worker, slot, 403);
		return true;
	}
	if (!request->connect)
		begin_exchange(worker, slot, rewrite(slot, request), request);
	return true;
}

static bool begin_request(struct worker *worker, struct slot *slot, struct http_request *request)
{
	uint16_t port = request->port ? request->port : slot->port;
	if (slot->explicit_proxy)
		return begin_explicit(worker, slot, request);
	if (request->connect)
		return refuse(worker, slot, 403,
			      "CONNECT through a server is a tunnel to somebody else");
	if (!request->has_host && slot->host.kind == HOST_NAME)
		return refuse(worker, slot, 403, "the request names no host");
	if (request->has_host && (!host_equal(&request->host, &slot->host) || port != slot->port))
		return refuse(worker, slot, 403, "the request names another host");
	// Asked for without what nobody here could read (h2c); nothing of it may have passed.
	bool whole = !slot->keeping || slot->kept == slot->flow[CLIENT].start;
	if (request->other_upgrade && !whole)
		return refuse(worker, slot, 400, "an upgrade to what is not read here");
	begin_exchange(worker, slot,
		       request->other_upgrade ? rewrite(slot, request) : request->head, request);
	return true;
}

bool exchange_request(struct worker *worker, struct slot *slot)
{
	struct http_request request;
	struct flow *flow = &slot->flow[CLIENT];
	// Between two requests a server has nothing to say: it may only leave.
	if (slot->dialing == DIAL_OPEN && slot->closing[SERVER] && slot->response_done) {
		if (!slot->explicit_proxy && flow->start == flow->end) {
			slot_close(worker, slot);
			return false;
		}
		slot_close_server(slot);
		if (!slot->explicit_proxy)
			dial_begin(worker, slot);
	}
	size_t length;
	const char *bytes = (const char *)talk_unread(slot, &length);
	enum parse result = http_request(bytes, length, &request);
	if (result == PARSE_DONE)
		return begin_request(worker, slot, &request);
	if (length == 0 && flow->ended) {
		slot_close(worker, slot);
		return false;
	}
	bool prior = length >= 5 && memcmp(bytes, "PRI *", 5) == 0;
	if (result == PARSE_BAD || flow->ended || length == BUFFER_SIZE)
		return refuse(worker, slot, 400,
			      prior ? "HTTP/2 without TLS is not read here"
				    : "a request that could be read in two ways");
	if (length > 0 && !slot->reading_head) {
		slot->reading_head = true;
		if (slot->dialing == DIAL_OPEN || slot->dialing == DIAL_NONE)
			slot_deadline(worker, slot, HEAD_MILLISECONDS);
	}
	return false;
}

// A server that passes over a body (some do, of GET) takes it for the next request: what begins
// like one is refused. False then.
static bool read_body(struct slot *slot)
{
	struct flow *flow = &slot->flow[CLIENT];
	uint64_t there = flow->end - flow->cleared, length = slot->request_length;
	there = there < length ? there : length;
	const char *bytes = slot->buffer[CLIENT] + flow->cleared;
	enum parse request = opening_body((const uint8_t *)bytes, (size_t)there);
	if (request == PARSE_DONE)
		return false;
	if (request == PARSE_MORE && there < length && !flow->ended)
		return true;
	slot->request_length = 0;
	flow_clear(flow, length);
	return true;
}

// Reads as many lines of the coding as there are; false when it is malformed.
static bool read_chunks(struct slot *slot, enum side from, enum http_chunk *at)
{
	struct flow *flow = &slot->flow[from];
	while (*at != CHUNK_DONE && flow->allowance == 0 && flow->cleared < flow->end) {
		size_t used = 0;
		uint64_t data = 0;
		enum parse result = http_chunk(slot->buffer[from] + flow->cleared,
					       flow->end - flow->cleared, at, &used, &data);
		if (result == PARSE_MORE)
			return flow->end - flow->cleared < BUFFER_SIZE / 2;
		if (result == PARSE_BAD)
			return false;
		flow->cleared += (uint32_t)used;
		if (data) {
			// The data, then a line of nothing.
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

// The head of a response. 1xx heads come before it; 101 ends HTTP.
static bool read_response(struct worker *worker, struct slot *slot)
{
	struct flow *flow = &slot->flow[SERVER];
	struct http_response response;
	while (slot->response_head && flow->cleared < flow->end) {
		size_t length = flow->end - flow->cleared;
		enum parse result = http_response(slot->buffer[SERVER] + flow->cleared, length,
						  slot->asks_head, &response);
		if (result == PARSE_MORE)
			return length < BUFFER_SIZE && !flow->ended;
		if (result == PARSE_BAD ||
		    (response.status == 101 && !(slot->upgrade && response.upgrade)))
			return false;
		flow_clear(flow, response.head);
		if (response.status == 101) {
			talk_inspect(worker, slot);
			return true;
		}
		if (response.status < 200)
			continue;
		slot->response_head = false;
		slot->response_body = response.body;
		slot->response_chunk = CHUNK_SIZE;
		slot->keep_alive = slot->keep_alive && response.keep_alive;
		if (response.body != BODY_CHUNKED)
			flow_clear(flow, passes(response.body, response.length));
	}
	return !(slot->response_head && flow->ended);
}

static bool finish_exchange(struct worker *worker, struct slot *slot)
{
	struct flow *out = &slot->flow[SERVER];
	if (!flow_empty(out))
		return false;
	if (!slot->keep_alive || !slot->request_done || out->cleared < out->end ||
	    !flow_empty(&slot->flow[CLIENT])) {
		slot->talk = TALK_DRAIN;
		slot_close_server(slot);
		slot_deadline(worker, slot, 1000);
		return true;
	}
	slot->talk = TALK_REQUEST;
	slot->reading_head = false;
	slot_deadline(worker, slot, IDLE_MILLISECONDS);
	return true;
}

bool exchange_run(struct worker *worker, struct slot *slot)
{
	struct flow *in = &slot->flow[CLIENT], *out = &slot->flow[SERVER];
	if (!slot->request_done) {
		if ((slot->request_length && !read_body(slot)) ||
		    (slot->request_body == BODY_CHUNKED &&
		     !read_chunks(slot, CLIENT, &slot->request_chunk)))
			return refuse(worker, slot, 400, "a body that could be read in two ways");
		slot->request_done = !slot->request_length &&
				     body_done(in, slot->request_body, slot->request_chunk);
	}
	if (slot->response_head && !read_response(worker, slot)) {
		// Before a word was passed on, it can still be told.
		if (out->cleared == out->start && out->start == 0)
			return refuse(worker, slot, 502, "the server's answer is no HTTP/1.1");
		slot_close(worker, slot);
		return false;
	}
	if (slot->talk != TALK_EXCHANGE)
		return true;
	if (!slot->response_head) {
		if (slot->response_body == BODY_CHUNKED &&
		    !read_chunks(slot, SERVER, &slot->response_chunk)) {
			slot_close(worker, slot);
			return false;
		}
		slot->response_done = body_done(out, slot->response_body, slot->response_chunk);
	}
	flow_write(worker, slot, CLIENT);
	flow_write(worker, slot, SERVER);
	if (slot->response_done && finish_exchange(worker, slot))
		return true;
	// The client left, or the server in the middle of its words.
	if ((in->ended && flow_empty(in) && !slot->request_done) ||
	    (out->ended && flow_empty(out) && !slot->response_done))
		slot_close(worker, slot);
	return false;
}
