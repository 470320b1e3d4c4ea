// Owns TLS until nothing of it is readable: each hello of a client is judged, also the second one
// that a server asks for (HelloRetryRequest, RFC 8446 4.1.4).
#include "net/rules/rules.h"
#include "net/proxy/worker.h"

// The name that TLS asks for is the name that was decided on; else the certificate, and what is
// behind it, would be somebody else's on the same address. Rule 29.
static const char *judge(struct worker *worker, struct slot *slot, const struct tls_hello *hello,
			 enum fix *ret_fix)
{
	enum { HTTPS = 443 };
	const struct rules *rules = rules_current(worker->shared);
	bool name = slot->host.kind == HOST_NAME;
	struct refusal refusal;
	if (hello->encrypted && name && !rules_ech(rules, &slot->host, slot->port)) {
		*ret_fix = FIX_ECH;
		return "its TLS hello may hide another name (encrypted client hello)";
	}
	if (!hello->named && name && slot->port == HTTPS)
		return "a TLS hello without a server name";
	if (!name && hello->named) {
		rules_decide(rules, &hello->host, slot->port, worker->routes, &refusal);
		return refusal.deny ? "TLS asks for a denied name" : NULL;
	}
	if (hello->named && !host_equal(&hello->host, &slot->host))
		return "TLS asks for another name";
	// What was not looked into is in the log.
	if (name && (hello->encrypted || !hello->named))
		slot->record = record_slot(worker, slot, VERDICT_ALLOWED, slot->rule.text,
					   hello->encrypted ? "encrypted client hello"
							    : "TLS without a server name",
					   FIX_NONE);
	return NULL;
}

// Lets a hello pass that begins at the first unread byte, and holds what follows until the server's
// answer; or refuses it.
static void pass_hello(struct worker *worker, struct slot *slot, const struct tls_hello *hello)
{
	struct flow *flow = &slot->flow[CLIENT];
	enum fix fix = FIX_NONE;
	const char *why = judge(worker, slot, hello, &fix);
	if (why) {
		talk_refuse(worker, slot, why, fix);
		return;
	}
	flow->cleared = (slot->keeping ? slot->kept : flow->start) + (uint32_t)hello->used;
	flow->allowance = slot->flow[SERVER].allowance = 0;
	slot->keeping = false;
	slot->retried = false;
	slot->talk = TALK_ANSWER;
}

bool hello_run(struct worker *worker, struct slot *slot)
{
	size_t length;
	struct tls_hello hello;
	const uint8_t *bytes = talk_unread(slot, &length);
	enum parse result = tls_hello(bytes, length, &hello);
	if (result == PARSE_MORE && !slot->flow[CLIENT].ended && length < BUFFER_SIZE)
		return false;
	if (result != PARSE_DONE)
		return talk_refuse(worker, slot, "no readable TLS hello", FIX_NONE);
	pass_hello(worker, slot, &hello);
	return true;
}

// After a HelloRetryRequest: change-cipher-spec, early data (RFC 8446 4.2.10, D.4) or an alert may
// come before the second hello.
static void read_second(struct worker *worker, struct slot *slot)
{
	struct flow *flow = &slot->flow[CLIENT];
	while (flow->allowance == 0 && flow->cleared < flow->end) {
		const uint8_t *bytes = (const uint8_t *)slot->buffer[CLIENT] + flow->cleared;
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
		const char *why = result == PARSE_DONE ? judge(worker, slot, &hello, &fix)
						       : "no readable second TLS hello";
		if (why) {
			talk_refuse(worker, slot, why, fix);
			return;
		}
		flow->cleared += (uint32_t)hello.used;
		slot->retried = false; // and the server's next answer is read as the first was
		return;
	}
}

// What the server says up to its hello.
static void read_answer(struct worker *worker, struct slot *slot)
{
	struct flow *flow = &slot->flow[SERVER];
	while (slot->talk == TALK_ANSWER && !slot->retried && flow->allowance == 0 &&
	       flow->cleared < flow->end) {
		const uint8_t *bytes = (const uint8_t *)slot->buffer[SERVER] + flow->cleared;
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
			talk_tunnel(worker, slot);
			return;
		}
		flow_clear(flow, size);
		slot->retried = true;
	}
}

bool hello_run_answer(struct worker *worker, struct slot *slot)
{
	read_answer(worker, slot);
	if (slot->talk == TALK_ANSWER && slot->retried)
		read_second(worker, slot);
	if (slot->talk != TALK_ANSWER)
		return true;
	flow_write(worker, slot, SERVER);
	flow_write(worker, slot, CLIENT);
	// Who leaves before the answer, leaves for good.
	if (slot->flow[CLIENT].ended ||
	    (slot->flow[SERVER].ended && flow_empty(&slot->flow[SERVER])))
		slot_close(worker, slot);
	return false;
}
