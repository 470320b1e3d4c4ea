// Owns what passes in a tunnel in a protocol that is not read here (databases, mail ...).
// A hello anywhere in it (behind STARTTLS and its like, whichever protocol that is) is judged as
// the first bytes of a connection are, and so is a request of HTTP at the beginning of a burst: the
// first bytes of the client, and the first after the server spoke. Bytes pass at once and are read
// again with those that follow, so that no protocol waits for us; of a hello that asks for another
// name the end never passes.
#include <string.h>

#include "net/parse/opening.h"
#include "net/proxy/worker.h"

enum { HELLOS_MOST = 8 }; // begun at once: who begins more wants to be read wrongly

struct window {
	const uint8_t *bytes;
	uint32_t base, length;
};

static struct window window_of(const struct slot *slot)
{
	const struct flow *flow = &slot->flow[CLIENT];
	uint32_t base = slot->keeping ? slot->kept : flow->start;
	return (struct window){ (const uint8_t *)slot->buffer[CLIENT] + base, base,
				flow->end - base };
}

// A burst is a beginning. One that comes while an earlier one is undecided is judged after that:
// the server may be reading one line.
static void note_burst(struct slot *slot)
{
	const struct flow *flow = &slot->flow[CLIENT];
	if (!slot->burst || flow->cleared == flow->end)
		return;
	slot->burst = false;
	slot->request_next = flow->cleared;
	if (!slot->request_like)
		slot->request_at = slot->request_next;
	slot->request_like = true;
}

// True when the conversation is HTTP from here on. What is undecided is in the way of nothing, but
// kept.
static bool find_request(struct slot *slot, const struct window *window)
{
	note_burst(slot);
	while (slot->request_like) {
		uint32_t at = slot->request_at - window->base;
		switch (opening_burst(window->bytes + at, window->length - at)) {
		case OPENING_HTTP:
			slot->keeping = true;
			slot->kept = slot->request_at;
			slot->talk = TALK_REQUEST;
			slot->flow[SERVER].allowance = 0;
			return true;
		case OPENING_MORE:
			return false;
		case OPENING_TLS:
		case OPENING_SSH:
		case OPENING_OTHER:
			break;
		}
		slot->request_like = slot->request_next > slot->request_at;
		slot->request_at = slot->request_next;
	}
	return false;
}

// The first hello that is whole, or begun: `ret_kept` is the first byte that is needed again.
static enum parse find_hello(const struct window *window, struct tls_hello *ret, uint32_t *ret_at,
			     uint32_t *ret_kept)
{
	unsigned begun = 0;
	*ret_kept = window->length;
	for (uint32_t at = 0; at < window->length; at++) {
		const uint8_t *next =
			memchr(window->bytes + at, TLS_HANDSHAKE, window->length - at);
		if (!next)
			break;
		at = (uint32_t)(next - window->bytes);
		enum parse result = tls_hello(next, window->length - at, ret);
		if (result == PARSE_DONE) {
			*ret_at = at;
			return PARSE_DONE;
		}
		if (result == PARSE_MORE && begun++ == 0)
			*ret_kept = at;
		if (begun > HELLOS_MOST || (result == PARSE_BAD && ret->shaped))
			return PARSE_BAD;
	}
	return PARSE_MORE;
}

static bool begin_hello(struct slot *slot, uint32_t at)
{
	slot->keeping = true;
	slot->kept = at;
	slot->talk = TALK_HELLO;
	return true;
}

// Judges what came; then it may pass.
static bool inspect(struct worker *worker, struct slot *slot)
{
	struct flow *flow = &slot->flow[CLIENT];
	struct window window = window_of(slot);
	struct tls_hello hello;
	uint32_t at = 0, kept;
	if (flow->cleared == flow->end)
		return false;
	enum parse found = find_hello(&window, &hello, &at, &kept);
	if (found == PARSE_DONE)
		return begin_hello(slot, window.base + at);
	if (found == PARSE_BAD || (kept == 0 && window.length == BUFFER_SIZE))
		return talk_refuse(worker, slot, "no readable TLS hello", FIX_NONE);
	if (find_request(slot, &window))
		return true;
	if (slot->request_like && slot->request_at - window.base < kept)
		kept = slot->request_at - window.base;
	if (kept == 0 && window.length == BUFFER_SIZE)
		return talk_refuse(worker, slot, "a line without an end", FIX_NONE);
	flow->cleared = flow->end;
	slot->keeping = kept < window.length;
	slot->kept = window.base + kept;
	return true;
}

bool inspect_run(struct worker *worker, struct slot *slot)
{
	struct flow *in = &slot->flow[CLIENT], *out = &slot->flow[SERVER];
	bool moved = inspect(worker, slot);
	if (slot->talk != TALK_INSPECT)
		return true;
	slot->burst = slot->burst || slot->heard[SERVER];
	flow_write(worker, slot, CLIENT);
	flow_write(worker, slot, SERVER);
	// The end of the client is handed on: nothing more will be read.
	if (in->ended && in->cleared == in->end && in->allowance == 0) {
		slot->keeping = false;
		in->allowance = UNLIMITED_PASS;
		flow_write(worker, slot, CLIENT);
	}
	if (in->shut && out->shut)
		slot_close(worker, slot);
	return moved;
}
