// Owns the conversation with a client until it is plain bytes or HTTP.
#include <string.h>

#include "net/names.h"
#include "net/rules.h"
#include "net/socks.h"
#include "net/tls.h"
#include "net/worker.h"

enum {
	HEAD_MILLISECONDS = 30000,
	UNDECIDED_MILLISECONDS = 100,
	LASTING_MILLISECONDS = 10000,
	TURNS_MOST = 16
};

bool talk_to(struct worker *worker, struct slot *slot, const struct host *host, uint16_t port)
{
	const struct rules *rules = rules_current(worker->shared);
	struct refusal refusal;
	const char *budget;
	slot->host = *host;
	slot->port = port;
	// A client that resolves for itself and then asks the explicit proxy.
	if (host->kind == HOST_ADDRESS && names_is_synthetic(&host->address)) {
		const char *name = names_find(worker->shared, &host->address);
		if (name) {
			slot->host = (struct host){ .kind = HOST_NAME };
			memcpy(slot->host.name, name, sizeof(slot->host.name));
		}
	}
	const struct rule *allow = rules_decide(rules, &slot->host, port, worker->routes, &refusal);
	if (!allow) {
		slot->record = record_slot(worker, slot, VERDICT_DENIED,
					   refusal.deny ? refusal.deny->text : "", refusal.why,
					   refusal.by_rule);
		return false;
	}
	slot->rule = *allow;
	slot->budgets = rules_budgets(rules, &slot->host, port);
	slot->record = record_slot(worker, slot, VERDICT_ALLOWED, allow->text, "", false);
	if (record_over_budget(worker, slot, &budget)) {
		slot->record = record_slot(worker, slot, VERDICT_DENIED, budget,
					   "its budget is used up", false);
		return false;
	}
	dial_begin(worker, slot);
	return true;
}

static void begin_tunnel(struct worker *worker, struct slot *slot)
{
	slot->talk = TALK_TUNNEL;
	slot->passed = 0;
	flow_clear(&slot->flow[CLIENT], UNLIMITED_PASS);
	flow_clear(&slot->flow[SERVER], UNLIMITED_PASS);
	if (slot->dialing == DIAL_OPEN)
		slot_deadline(worker, slot, LASTING_MILLISECONDS);
}

static bool run_tunnel(struct worker *worker, struct slot *slot)
{
	bool moved = flow_move(worker, slot, CLIENT);
	if (slot->talk == TALK_FREE)
		return false;
	if (slot->dialing == DIAL_OPEN)
		moved = flow_move(worker, slot, SERVER) || moved;
	if (slot->talk != TALK_FREE && slot->flow[CLIENT].shut && slot->flow[SERVER].shut) {
		slot_close(worker, slot);
		return false;
	}
	return moved;
}

static const char *unread(const struct slot *slot, size_t *ret_length)
{
	const struct flow *flow = &slot->flow[CLIENT];
	*ret_length = flow->end - flow->start + slot->passed;
	return slot->buffer[CLIENT] + flow->start - slot->passed;
}

// A word without an end may be some protocol's first, and its server waits for it. It passes, and
// is remembered: should it become the first line of HTTP, the rest waits until it is read.
static bool pass_undecided(struct worker *worker, struct slot *slot)
{
	struct flow *flow = &slot->flow[CLIENT];
	uint32_t fresh = flow->end - flow->start;
	if (slot->dialing != DIAL_OPEN || fresh == 0)
		return false;
	if (!slot->passing) {
		if (!slot->deadline)
			slot_deadline(worker, slot, UNDECIDED_MILLISECONDS);
		return false;
	}
	flow->cleared = flow->end;
	flow_write(worker, slot, CLIENT);
	slot->passed += fresh - (flow->end - flow->start);
	return slot->talk != TALK_FREE;
}

// A server may speak first, and a client may wait for that.
static bool run_sniff(struct worker *worker, struct slot *slot)
{
	size_t length;
	bool ended, moved = flow_read(worker, slot, CLIENT);
	if (slot->talk == TALK_FREE)
		return false;
	slot->flow[SERVER].allowance = UNLIMITED_PASS;
	if (slot->dialing == DIAL_OPEN)
		moved = flow_move(worker, slot, SERVER) || moved;
	if (slot->talk == TALK_FREE)
		return false;
	const char *bytes = unread(slot, &length);
	ended = slot->flow[CLIENT].ended || length == BUFFER_SIZE;
	if (length == 0 && !ended)
		return moved;
	enum parse http = length ? http_looks_like(bytes, length) : PARSE_BAD;
	if (length && bytes[0] == TLS_HANDSHAKE) {
		slot->talk = TALK_HELLO;
	} else if (http == PARSE_DONE) {
		slot->talk = TALK_REQUEST;
		slot->flow[SERVER].allowance = 0;
	} else if (http == PARSE_BAD || ended) {
		begin_tunnel(worker, slot);
	} else {
		return pass_undecided(worker, slot) || moved;
	}
	if (slot->dialing == DIAL_OPEN && slot->talk != TALK_TUNNEL)
		slot_deadline(worker, slot, HEAD_MILLISECONDS);
	return true;
}

// The name that TLS asks for is the name that was decided on; else the certificate, and what is
// behind it, would be somebody else's on the same address.
static const char *judge_hello(struct worker *worker, const struct slot *slot, bool named,
			       const struct host *asked)
{
	struct refusal refusal;
	if (!named || host_equal(asked, &slot->host))
		return NULL;
	if (slot->host.kind == HOST_NAME)
		return "TLS asks for another name";
	rules_decide(rules_current(worker->shared), asked, slot->port, worker->routes, &refusal);
	return refusal.deny ? "TLS asks for a denied name" : NULL;
}

static bool run_hello(struct worker *worker, struct slot *slot)
{
	size_t length;
	bool named;
	struct host asked;
	bool moved = flow_read(worker, slot, CLIENT);
	if (slot->talk == TALK_FREE)
		return false;
	const char *bytes = unread(slot, &length);
	enum parse result = tls_hello((const uint8_t *)bytes, length, &named, &asked);
	if (result == PARSE_MORE && !slot->flow[CLIENT].ended && length < BUFFER_SIZE)
		return moved;
	const char *why = result == PARSE_DONE ? judge_hello(worker, slot, named, &asked)
					       : "no readable TLS hello";
	if (!why) {
		begin_tunnel(worker, slot);
		return true;
	}
	slot->record = record_slot(worker, slot, VERDICT_DENIED, "", why, false);
	deny_begin(worker, slot, why);
	return true;
}

static bool run_first(struct worker *worker, struct slot *slot)
{
	size_t length;
	bool moved = flow_read(worker, slot, CLIENT);
	if (slot->talk == TALK_FREE)
		return false;
	const char *bytes = unread(slot, &length);
	if (length == 0 && slot->flow[CLIENT].ended)
		slot_close(worker, slot);
	if (length == 0)
		return false;
	(void)moved;
	slot->talk = bytes[0] == SOCKS_VERSION ? TALK_GREETING : TALK_REQUEST;
	slot->socks = slot->talk == TALK_GREETING;
	return true;
}

static bool run_greeting(struct worker *worker, struct slot *slot)
{
	static const uint8_t open_answer[] = { SOCKS_VERSION, 0 }, none[] = { SOCKS_VERSION, 0xff };
	size_t length, used;
	bool open, moved = flow_read(worker, slot, CLIENT);
	if (slot->talk == TALK_FREE)
		return false;
	const char *bytes = unread(slot, &length);
	enum parse result = socks_greeting((const uint8_t *)bytes, length, &used, &open);
	if (result == PARSE_MORE && !slot->flow[CLIENT].ended)
		return moved;
	if (result != PARSE_DONE) {
		slot_close(worker, slot);
		return false;
	}
	flow_skip(&slot->flow[CLIENT], (uint32_t)used);
	flow_say(slot, open ? open_answer : none, sizeof(none));
	slot->talk = open ? TALK_SOCKS : TALK_DRAIN;
	flow_write(worker, slot, SERVER);
	return slot->talk != TALK_FREE;
}

static bool run_socks(struct worker *worker, struct slot *slot)
{
	size_t length;
	struct socks_request request;
	bool moved = flow_read(worker, slot, CLIENT);
	if (slot->talk == TALK_FREE)
		return false;
	const char *bytes = unread(slot, &length);
	enum parse result = socks_request((const uint8_t *)bytes, length, &request);
	if (result == PARSE_MORE && !slot->flow[CLIENT].ended)
		return moved;
	if (result != PARSE_DONE) {
		deny_socks(worker, slot, SOCKS_FAILED);
		return true;
	}
	flow_skip(&slot->flow[CLIENT], (uint32_t)request.used);
	if (!request.connect) {
		deny_socks(worker, slot, SOCKS_NO_COMMAND);
		return true;
	}
	slot->talk = TALK_DIAL;
	if (!talk_to(worker, slot, &request.host, request.port))
		deny_socks(worker, slot, SOCKS_DENIED);
	return true;
}

static bool run_dial(struct worker *worker, struct slot *slot)
{
	static const char connected[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	static const uint8_t socks[] = { SOCKS_VERSION, SOCKS_OK, 0, 1, 0, 0, 0, 0, 0, 0 };
	if (slot->dialing != DIAL_OPEN)
		return false;
	flow_say(slot, slot->socks ? (const void *)socks : connected,
		 slot->socks ? sizeof(socks) : sizeof(connected) - 1);
	slot->talk = TALK_SNIFF;
	slot->explicit_proxy = false; // from here on as if it had connected by itself
	flow_write(worker, slot, SERVER);
	return slot->talk != TALK_FREE;
}

static bool run_nothing(struct worker *worker, struct slot *slot)
{
	(void)worker;
	(void)slot;
	return false;
}

static bool (*const runs[])(struct worker *worker, struct slot *slot) = {
	[TALK_FREE] = run_nothing,      [TALK_FIRST] = run_first,
	[TALK_GREETING] = run_greeting, [TALK_SOCKS] = run_socks,
	[TALK_DIAL] = run_dial,         [TALK_SNIFF] = run_sniff,
	[TALK_HELLO] = run_hello,       [TALK_REQUEST] = exchange_request,
	[TALK_EXCHANGE] = exchange_run, [TALK_TUNNEL] = run_tunnel,
	[TALK_DENY] = deny_run,         [TALK_DRAIN] = deny_drain,
	[TALK_DNS] = respond_stream,
};

// A few turns, then the others': one busy connection does not hold up the rest.
void talk_run(struct worker *worker, struct slot *slot)
{
	for (int turn = 0; turn < TURNS_MOST; turn++) {
		if (slot->dialing == DIAL_ASK && !dial_asked(worker, slot))
			break;
		if (slot->talk == TALK_FREE || !runs[slot->talk](worker, slot))
			return;
	}
	if (slot->talk != TALK_FREE && slot->dialing != DIAL_ASK)
		slot_wake(worker, slot);
}

void talk_expired(struct worker *worker, struct slot *slot)
{
	slot_deadline(worker, slot, 0);
	if (slot->dialing == DIAL_LOOKUP || slot->dialing == DIAL_CONNECT ||
	    slot->dialing == DIAL_ASK)
		dial_expired(worker, slot);
	else if (slot->talk == TALK_SNIFF)
		slot->passing = true;
	else if (slot->talk == TALK_TUNNEL)
		dial_keep_alive(slot);
	else if (slot->talk == TALK_DENY || slot->talk == TALK_HELLO)
		slot_reset(worker, slot);
	else
		slot_close(worker, slot);
}
