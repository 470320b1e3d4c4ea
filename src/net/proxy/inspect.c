// Owns tunnels of protocols that sbx does not read (databases, mail). Judges TLS hellos anywhere
// (STARTTLS), and HTTP requests where the client begins to speak after the server (a burst). Bytes
// pass at once and are read again with later ones. The last byte of a hello with another name never
// passes.
#include "net/proxy/inspect.h"

#include <string.h>

#include "net/parse/parse.h"
#include "net/proxy/deny.h"

struct window {
	const uint8_t *bytes;
	uint32_t base, length;
};

static struct window window_of(const struct conn *conn)
{
	const struct flow *flow = &conn->flow[CLIENT];
	uint32_t base = conn->keeping ? conn->kept : flow->cleared;
	return (struct window){ (const uint8_t *)conn->bytes[CLIENT] + base, base,
				flow->end - base };
}

// A later burst waits until the earlier one is judged.
static void note_burst(struct conn *conn)
{
	const struct flow *flow = &conn->flow[CLIENT];
	if (!conn->burst || flow->cleared == flow->end)
		return;
	conn->burst = false;
	conn->request_next = flow->cleared;
	if (!conn->request_like)
		conn->request_at = conn->request_next;
	conn->request_like = true;
}

// Judges bursts, whose bytes have passed and are kept until then.
static bool find_request(struct conn *conn, const struct window *window)
{
	note_burst(conn);
	while (conn->request_like) {
		uint32_t at = conn->request_at - window->base;
		switch (opening_burst(window->bytes + at, window->length - at, &conn->opening)) {
		case OPENING_HTTP:
			conn->keeping = true;
			conn->kept = conn->request_at;
			conn_read_anew(conn);
			conn->state = CONN_REQUEST;
			conn->flow[SERVER].allowance = 0;
			return true;
		case OPENING_MORE:
			return false;
		case OPENING_TLS:
		case OPENING_SSH:
		case OPENING_OTHER:
			break;
		}
		conn->opening = (struct opening_read){ 0 };
		conn->request_like = conn->request_next > conn->request_at;
		conn->request_at = conn->request_next;
	}
	return false;
}

static enum parse read_hello(struct conn *conn, const struct window *window, uint32_t at,
			     uint32_t place, struct tls_hello *ret)
{
	enum parse result = tls_hello(window->bytes + at, window->length - at, ret);
	if (result == PARSE_MORE && place < HELLOS_MAX)
		conn->hellos[place] = (struct hello_begun){ at, at + (uint32_t)ret->used };
	return result;
}

static enum parse find_hello(struct conn *conn, const struct window *window, struct tls_hello *ret,
			     uint32_t *ret_at)
{
	uint32_t begun = 0, known = conn->hello_count, at = conn->hello_searched;
	for (uint32_t i = 0; at < window->length || i < known; i++) {
		struct hello_begun hello = i < known ? conn->hellos[i] : (struct hello_begun){ 0 };
		enum parse result = PARSE_MORE;
		if (i >= known) {
			const uint8_t *next =
				memchr(window->bytes + at, TLS_HANDSHAKE, window->length - at);
			if (!next)
				break;
			hello.at = (uint32_t)(next - window->bytes);
			at = hello.at + 1;
		}
		if (window->length < hello.needs)
			conn->hellos[begun] = hello;
		else
			result = read_hello(conn, window, hello.at, begun, ret);
		*ret_at = hello.at;
		if (result == PARSE_DONE)
			return PARSE_DONE;
		begun += result == PARSE_MORE;
		if (begun > HELLOS_MAX || (result == PARSE_BAD && ret->shaped))
			return PARSE_BAD;
	}
	conn->hello_count = begun;
	conn->hello_searched = window->length;
	return PARSE_MORE;
}

static enum turn begin_hello(struct conn *conn, uint32_t at)
{
	conn->keeping = true;
	conn->kept = at;
	conn_read_anew(conn);
	conn->state = CONN_HELLO;
	return TURN_MOVED;
}

static enum turn inspect(struct worker *worker, struct conn *conn)
{
	struct flow *flow = &conn->flow[CLIENT];
	struct window window = window_of(conn);
	struct tls_hello hello;
	uint32_t at = 0;
	if (flow->cleared == flow->end)
		return TURN_WAIT;
	enum parse found = find_hello(conn, &window, &hello, &at);
	uint32_t kept = conn->hello_count ? conn->hellos[0].at : window.length;
	if (found == PARSE_DONE)
		return begin_hello(conn, window.base + at);
	if (found == PARSE_BAD || (kept == 0 && window.length == BUFFER_SIZE))
		return deny_refuse(worker, conn, "no readable TLS hello", FIX_NONE);
	if (find_request(conn, &window))
		return TURN_MOVED;
	if (conn->request_like && conn->request_at - window.base < kept)
		kept = conn->request_at - window.base;
	if (kept == 0 && window.length == BUFFER_SIZE)
		return deny_refuse(worker, conn, "a line without an end", FIX_NONE);
	flow->cleared = flow->end;
	conn->keeping = kept < window.length;
	conn->kept = window.base + kept;
	conn->hello_searched -= kept;
	for (uint32_t i = 0; i < conn->hello_count; i++) {
		conn->hellos[i].at -= kept;
		conn->hellos[i].needs -= kept;
	}
	return TURN_MOVED;
}

enum turn inspect_run(struct worker *worker, struct conn *conn)
{
	struct flow *in = &conn->flow[CLIENT];
	enum turn turn = inspect(worker, conn);
	if (conn->state != CONN_INSPECT)
		return turn;
	conn->burst = conn->burst || conn->heard[SERVER];
	if (in->ended && in->cleared == in->end && in->allowance == 0) {
		conn->keeping = false;
		in->allowance = UNLIMITED_PASS;
	}
	return turn;
}
