// Owns the order of requests and answers in one decrypted connection.
#include "secrets/dialogue/dialogue.h"

#include <stdio.h>
#include <string.h>

void exchange_begin(struct exchange *exchange, const struct keyring *ring, const struct host *host,
		    uint16_t port)
{
	memset(exchange, 0, sizeof(*exchange));
	exchange->ring = ring;
	exchange->host = *host;
	exchange->port = port;
	scrub_begin(&exchange->scrubber, ring);
}

static enum exchange_turn refuse(struct exchange *exchange, int status, const char *why)
{
	exchange->status = status;
	snprintf(exchange->why, sizeof(exchange->why), "%s", why);
	return EXCHANGE_REFUSED;
}

// Returns why a request is refused, or NULL. A request must name the host of its TLS connection, no
// other port, and no other protocol.
static const char *judge(const struct exchange *exchange, const char *head,
			 const struct http_request *request)
{
	if (request->connect || request->absolute)
		return "a request for a proxy in a connection to a server";
	if (head[request->target] != '/' && head[request->target] != '*')
		return "a request without a path";
	if (!request->has_host)
		return "a request without a host";
	if (!host_equal(&request->host, &exchange->host) ||
	    (request->port && request->port != exchange->port))
		return "the request names another host";
	return request->upgrade ? "a WebSocket, which sbx does not open to the host of a secret"
				: NULL;
}

static enum exchange_turn take_request(struct exchange *exchange, struct passage *stream)
{
	struct http_request request;
	size_t length = stream->length < HTTP_HEAD_MAX ? stream->length : HTTP_HEAD_MAX;
	if (length == 0 || stream->room < SWAP_HEAD_MAX)
		return EXCHANGE_WAIT;
	exchange->asks_head = false;
	enum parse result = http_request(stream->in, length, &request);
	if (result == PARSE_MORE && length < HTTP_HEAD_MAX)
		return EXCHANGE_WAIT;
	if (result != PARSE_DONE)
		return refuse(exchange, 400, "the request can be read in two ways, or is too long");
	const char *why = judge(exchange, stream->in, &request);
	if (why)
		return refuse(exchange, 403, why);
	if (!swap_head(exchange->ring, &exchange->host, exchange->port, stream->in, &request,
		       stream->out, &exchange->swapped))
		return refuse(exchange, 403, exchange->swapped.why);
	exchange->used = exchange->swapped.used;
	exchange->fresh |= exchange->used;
	// Scrubs the request's user and password (Basic) from the answer, which may repeat them.
	scrub_whole(&exchange->scrubber, &(struct needle){ exchange->swapped.basic_value,
							   exchange->swapped.basic_placeholder,
							   exchange->swapped.basic_length });
	exchange->asks_head = request.asks_head;
	exchange->keep_alive = request.keep_alive;
	exchange->up = request.body == BODY_CHUNKED  ? UP_CHUNKED
		       : request.body == BODY_LENGTH ? UP_LENGTH
						     : UP_DONE;
	exchange->up_body = (struct exchange_body){ request.length, CHUNK_SIZE };
	exchange->down = DOWN_HEAD;
	exchange->answered = false;
	stream->used = request.head;
	stream->wrote = exchange->swapped.length;
	return EXCHANGE_MOVED;
}

static size_t pass(struct passage *stream, uint64_t most)
{
	size_t left = stream->length - stream->used, room = stream->room - stream->wrote;
	size_t size = left < room ? left : room;
	size = size < most ? size : (size_t)most;
	memcpy(stream->out + stream->wrote, stream->in + stream->used, size);
	stream->used += size;
	stream->wrote += size;
	return size;
}

static enum exchange_turn moved(const struct passage *stream)
{
	return stream->used || stream->wrote ? EXCHANGE_MOVED : EXCHANGE_WAIT;
}

static size_t collect(struct exchange *exchange, struct passage *stream, uint64_t most)
{
	size_t left = stream->length - stream->used, room = EXCHANGE_BODY - exchange->body_length;
	size_t size = left < room ? left : room;
	size = size < most ? size : (size_t)most;
	memcpy(exchange->body + exchange->body_length, stream->in + stream->used, size);
	exchange->body_length += size;
	stream->used += size;
	return size;
}

// Passes a request's chunks as they are. Joins an answer's chunks, as a secret may be split between
// two, and drops trailers.
static enum parse take_chunks(struct exchange *exchange, struct passage *stream, bool up)
{
	struct exchange_body *body = up ? &exchange->up_body : &exchange->down_body;
	while (body->chunk != CHUNK_DONE) {
		size_t line;
		uint64_t data;
		if (body->left)
			body->left -= up ? pass(stream, body->left)
					 : collect(exchange, stream, body->left);
		if (body->left)
			return PARSE_MORE;
		enum http_chunk next = body->chunk;
		enum parse result = http_chunk(stream->in + stream->used,
					       stream->length - stream->used, &next, &line, &data);
		if (result != PARSE_DONE)
			return result;
		if (up && stream->room - stream->wrote < line)
			return PARSE_MORE;
		if (up)
			pass(stream, line);
		else
			stream->used += line;
		*body = (struct exchange_body){ data, next };
	}
	return PARSE_DONE;
}

enum exchange_turn exchange_up(struct exchange *exchange, struct passage *stream)
{
	enum parse chunks;
	switch (exchange->up) {
	case UP_HEAD:
		return take_request(exchange, stream);
	case UP_LENGTH:
		exchange->up_body.left -= pass(stream, exchange->up_body.left);
		if (exchange->up_body.left == 0)
			exchange->up = UP_DONE;
		return moved(stream);
	case UP_CHUNKED:
		chunks = take_chunks(exchange, stream, true);
		if (chunks == PARSE_BAD)
			return refuse(exchange, 400, "its body is not readable");
		if (chunks == PARSE_DONE)
			exchange->up = UP_DONE;
		return moved(stream);
	case UP_DONE:
		break;
	}
	return EXCHANGE_WAIT;
}

static bool is_coded(const char *head, size_t length)
{
	struct piece rest = { head, length }, name, value;
	piece_until(&rest, '\n');
	while (http_field(&rest, &name, &value))
		if (piece_is_alike(name, "content-encoding") && value.length > 0 &&
		    !piece_is_alike(value, "identity"))
			return true;
	return false;
}

static enum exchange_turn take_answer(struct exchange *exchange, struct passage *stream)
{
	static const enum exchange_answer bodies[] = { [BODY_NONE] = DOWN_DONE,
						       [BODY_LENGTH] = DOWN_LENGTH,
						       [BODY_CHUNKED] = DOWN_CHUNKED,
						       [BODY_UNTIL_CLOSE] = DOWN_CLOSE };
	struct http_response response;
	size_t length = stream->length < HTTP_HEAD_MAX ? stream->length : HTTP_HEAD_MAX;
	if (exchange->up == UP_HEAD)
		return length ? EXCHANGE_BROKEN : EXCHANGE_WAIT;
	if (stream->room < HTTP_HEAD_MAX)
		return EXCHANGE_WAIT;
	enum parse result = http_response(stream->in, length, exchange->asks_head, &response);
	if (result == PARSE_MORE && length < HTTP_HEAD_MAX)
		return EXCHANGE_WAIT;
	if (result != PARSE_DONE || response.status == 101)
		return refuse(exchange, 502, "its answer is not readable HTTP/1.1");
	if (response.body != BODY_NONE && is_coded(stream->in, response.head))
		return refuse(
			exchange, 502,
			"its answer is compressed, though that was not asked for: a secret in it "
			"would not be seen");
	memcpy(stream->out, stream->in, response.head);
	scrub(&exchange->scrubber, stream->out, response.head, true);
	stream->used = stream->wrote = response.head;
	exchange->answered = true;
	if (response.status < 200)
		return EXCHANGE_MOVED;
	exchange->keep_alive = exchange->keep_alive && response.keep_alive;
	exchange->down_body = (struct exchange_body){ response.length, CHUNK_SIZE };
	exchange->body_length = 0;
	exchange->down = bodies[response.body];
	return EXCHANGE_MOVED;
}

enum { FRAME = 24 };

// Writes scrubbed bytes of an answer, as a chunk if the answer is chunked. Returns false if the
// beginning of a secret fills the buffer.
static bool emit(struct exchange *exchange, struct passage *stream, bool last)
{
	size_t size = scrub(&exchange->scrubber, exchange->body, exchange->body_length, last);
	size_t room = stream->room - stream->wrote;
	bool chunked = exchange->down == DOWN_CHUNKED;
	if (size == 0 && exchange->body_length == EXCHANGE_BODY)
		return false;
	if (chunked)
		room = room > FRAME ? room - FRAME : 0;
	size = size < room ? size : room;
	if (size == 0)
		return true;
	if (chunked)
		stream->wrote += (size_t)sprintf(stream->out + stream->wrote, "%zx\r\n", size);
	memcpy(stream->out + stream->wrote, exchange->body, size);
	stream->wrote += size;
	if (chunked) {
		memcpy(stream->out + stream->wrote, "\r\n", 2);
		stream->wrote += 2;
	}
	memmove(exchange->body, exchange->body + size, exchange->body_length - size);
	exchange->body_length -= size;
	return true;
}

static enum exchange_turn take_body(struct exchange *exchange, struct passage *stream)
{
	static const char end[] = "0\r\n\r\n";
	enum parse chunks;
	bool last = false;
	switch (exchange->down) {
	case DOWN_LENGTH:
		exchange->down_body.left -= collect(exchange, stream, exchange->down_body.left);
		last = exchange->down_body.left == 0;
		break;
	case DOWN_CHUNKED:
		chunks = take_chunks(exchange, stream, false);
		if (chunks == PARSE_BAD)
			return EXCHANGE_BROKEN;
		last = chunks == PARSE_DONE;
		break;
	case DOWN_CLOSE:
		collect(exchange, stream, UINT64_MAX);
		last = stream->ended && stream->used == stream->length;
		break;
	case DOWN_HEAD:
	case DOWN_DONE:
		break;
	}
	if (!emit(exchange, stream, last))
		return EXCHANGE_BROKEN;
	if (!last && stream->ended && stream->used == stream->length &&
	    stream->room - stream->wrote > FRAME)
		return EXCHANGE_BROKEN;
	if (!last || exchange->body_length)
		return moved(stream);
	if (exchange->down == DOWN_CHUNKED) {
		if (stream->room - stream->wrote < sizeof(end) - 1)
			return moved(stream);
		memcpy(stream->out + stream->wrote, end, sizeof(end) - 1);
		stream->wrote += sizeof(end) - 1;
	}
	exchange->keep_alive = exchange->keep_alive && exchange->down != DOWN_CLOSE;
	exchange->down = DOWN_DONE;
	return EXCHANGE_MOVED;
}

enum exchange_turn exchange_down(struct exchange *exchange, struct passage *stream)
{
	enum exchange_turn turn;
	switch (exchange->down) {
	case DOWN_HEAD:
		turn = take_answer(exchange, stream);
		if (turn != EXCHANGE_WAIT || !stream->ended)
			return turn;
		return exchange->up == UP_HEAD ? EXCHANGE_OVER : EXCHANGE_BROKEN;
	case DOWN_LENGTH:
	case DOWN_CHUNKED:
	case DOWN_CLOSE:
		return take_body(exchange, stream);
	case DOWN_DONE:
		break;
	}
	if (!exchange->keep_alive || exchange->up != UP_DONE)
		return EXCHANGE_OVER;
	exchange->up = UP_HEAD;
	exchange->down = DOWN_HEAD;
	exchange->answered = false;
	return EXCHANGE_MOVED;
}

size_t exchange_refusal(const struct exchange *exchange, int status, const char *why, char *out,
			size_t size)
{
	const char *phrase = status == 400   ? "Bad Request"
			     : status == 403 ? "Forbidden"
					     : "Bad Gateway";
	char body[1024];
	int length =
		snprintf(body, sizeof(body),
			 "{\"version\":1,\"form\":\"blocked\",\"error\":\"%s\",\"host\":\"%s\","
			 "\"port\":%u,\"reason\":\"%s\"}\n",
			 status == 502 ? "sbx could not do this" : "blocked by sbx",
			 exchange->host.name, exchange->port, why);
	int used =
		snprintf(out, size,
			 "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: "
			 "%d\r\nConnection: close\r\n%s\r\n%s",
			 status, phrase, length, status == 502 ? "" : "x-sbx-blocked: refused\r\n",
			 exchange->asks_head ? "" : body);
	return (size_t)used < size ? (size_t)used : 0;
}
