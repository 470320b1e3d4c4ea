// Owns the conversation with a client until it is plain bytes or HTTP.
#include <string.h>

#include "net/setup/synthetic.h"
#include "net/parse/opening.h"
#include "net/rules/rules.h"
#include "net/parse/tls.h"
#include "net/proxy/worker.h"

enum { HEAD_MILLISECONDS = 30000, LASTING_MILLISECONDS = 10000, TURNS_MOST = 16 };

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
					   refusal.fix);
		return false;
	}
	slot->rule = *allow;
	slot->raw = slot->host.kind == HOST_ADDRESS || rules_raw(rules, allow, port);
	slot->budgets = rules_budgets(rules, &slot->host, port);
	slot->record = record_slot(worker, slot, VERDICT_ALLOWED, allow->text, "", FIX_NONE);
	if (record_over_budget(worker, slot, &budget)) {
		slot->record = record_slot(worker, slot, VERDICT_DENIED, budget,
					   "its budget is used up", FIX_NONE);
		return false;
	}
	dial_begin(worker, slot);
	return true;
}

void talk_tunnel(struct worker *worker, struct slot *slot)
{
	slot->talk = TALK_TUNNEL;
	slot->keeping = false;
	flow_clear(&slot->flow[CLIENT], UNLIMITED_PASS);
	flow_clear(&slot->flow[SERVER], UNLIMITED_PASS);
	if (slot->dialing == DIAL_OPEN)
		slot_deadline(worker, slot, LASTING_MILLISECONDS);
}

void talk_inspect(struct worker *worker, struct slot *slot)
{
	slot->talk = TALK_INSPECT;
	slot->keeping = slot->request_like = false;
	slot->burst = true;
	slot->flow[CLIENT].allowance = 0;
	flow_clear(&slot->flow[SERVER], UNLIMITED_PASS);
	if (slot->dialing == DIAL_OPEN)
		slot_deadline(worker, slot, LASTING_MILLISECONDS);
}

static bool run_tunnel(struct worker *worker, struct slot *slot)
{
	flow_write(worker, slot, CLIENT);
	flow_write(worker, slot, SERVER);
	if (slot->flow[CLIENT].shut && slot->flow[SERVER].shut)
		slot_close(worker, slot);
	return false;
}

const uint8_t *talk_unread(const struct slot *slot, size_t *ret_length)
{
	const struct flow *flow = &slot->flow[CLIENT];
	uint32_t at = slot->keeping ? slot->kept : flow->start;
	*ret_length = flow->end - at;
	return (const uint8_t *)slot->buffer[CLIENT] + at;
}

bool talk_refuse(struct worker *worker, struct slot *slot, const char *why, enum fix fix)
{
	slot->record = record_slot(worker, slot, VERDICT_DENIED, "", why, fix);
	deny_begin(worker, slot, why);
	return true;
}

// Only HTTP and TLS are spoken at their own ports.
static bool is_web(const struct slot *slot)
{
	enum { HTTP = 80, HTTPS = 443 };
	return slot->port == HTTP || slot->port == HTTPS;
}

static bool refuse_unread(struct worker *worker, struct slot *slot)
{
	return talk_refuse(worker, slot,
			   is_web(slot)
				   ? "neither HTTP nor TLS, and sbx passes nothing unread"
				   : "neither HTTP, TLS nor SSH, and sbx passes nothing unread",
			   FIX_RAW);
}

static void begin_ssh(struct worker *worker, struct slot *slot)
{
	slot->talk = TALK_SSH;
	if (slot->dialing == DIAL_OPEN)
		slot_deadline(worker, slot, HEAD_MILLISECONDS);
}

// The client is silent, the server is not.
static bool hear_server(struct worker *worker, struct slot *slot)
{
	const struct flow *flow = &slot->flow[SERVER];
	const uint8_t *bytes = (const uint8_t *)slot->buffer[SERVER] + flow->cleared;
	switch (opening_server(bytes, flow->end - flow->cleared)) {
	case GREETING_MORE:
		return false;
	case GREETING_SSH:
		if (is_web(slot))
			break;
		begin_ssh(worker, slot);
		return true;
	case GREETING_KNOWN:
		if (is_web(slot))
			break;
		talk_inspect(worker, slot);
		return true;
	case GREETING_LEAVING:
		return talk_refuse(worker, slot, "the server speaks first, and in no greeting",
				   FIX_RAW);
	case GREETING_OTHER:
		break;
	}
	return refuse_unread(worker, slot);
}

// What cannot be read is not carried: to a name, unless its rule or its port says that it may.
static bool run_sniff(struct worker *worker, struct slot *slot)
{
	size_t length;
	if (slot->raw) {
		talk_inspect(worker, slot);
		return true;
	}
	const uint8_t *bytes = talk_unread(slot, &length);
	if (length == 0 && (slot->flow[CLIENT].ended || slot->flow[SERVER].ended)) {
		slot_close(worker, slot);
		return false;
	}
	if (length == 0)
		return slot->heard[SERVER] && hear_server(worker, slot);
	if (!slot->reading_head) {
		slot->reading_head = true;
		if (slot->dialing == DIAL_OPEN)
			slot_deadline(worker, slot, HEAD_MILLISECONDS);
	}
	enum opening opening = opening_client(bytes, length);
	if (opening == OPENING_HTTP)
		opening = opening_burst(bytes, length);
	switch (opening) {
	case OPENING_MORE:
		return slot->flow[CLIENT].ended && refuse_unread(worker, slot);
	case OPENING_TLS:
		slot->talk = TALK_HELLO;
		return true;
	case OPENING_HTTP:
		slot->talk = TALK_REQUEST;
		return true;
	case OPENING_SSH:
		if (is_web(slot))
			break;
		begin_ssh(worker, slot);
		return true;
	case OPENING_OTHER:
		break;
	}
	return refuse_unread(worker, slot);
}

// One line of each side (RFC 4253 4.2); what the client says behind its own waits for the server's.
static bool run_ssh(struct worker *worker, struct slot *slot)
{
	enum { LINE_MOST = 255 };
	struct flow *in = &slot->flow[CLIENT], *out = &slot->flow[SERVER];
	size_t length;
	if (!slot->greeted && out->cleared < out->end) {
		enum greeting greeting =
			opening_server((const uint8_t *)slot->buffer[SERVER] + out->cleared,
				       out->end - out->cleared);
		if (greeting != GREETING_SSH && greeting != GREETING_MORE)
			return refuse_unread(worker, slot);
		slot->greeted = greeting == GREETING_SSH;
		if (slot->greeted)
			flow_clear(out, UNLIMITED_PASS);
	}
	// Unread from the line on, also when it has passed.
	if (!slot->keeping) {
		slot->keeping = true;
		slot->kept = in->start;
	}
	const uint8_t *bytes = talk_unread(slot, &length);
	const uint8_t *newline = memchr(bytes, '\n', length < LINE_MOST ? length : LINE_MOST);
	enum parse line = opening_ssh(bytes, newline ? (size_t)(newline - bytes) : length);
	if (line == PARSE_BAD || (!newline && (length >= LINE_MOST || in->ended)))
		return refuse_unread(worker, slot);
	if (newline)
		in->cleared = slot->kept + (uint32_t)(newline + 1 - bytes);
	if (newline && slot->greeted)
		talk_inspect(worker, slot);
	flow_write(worker, slot, CLIENT);
	flow_write(worker, slot, SERVER);
	if (slot->talk == TALK_SSH && out->ended && flow_empty(out))
		slot_close(worker, slot);
	return slot->talk != TALK_SSH;
}

// What a connection does in each state. Before `run` the bytes that may pass are written and those
// of `reads` are read; afterwards what `run` let pass is written. `run` is true when it may go on
// at once. `patience` begins when the server is there.
static const struct state {
	enum { READS_NOTHING, READS_CLIENT, READS_BOTH } reads;
	bool (*run)(struct worker *worker, struct slot *slot);
	int patience; // milliseconds, 0: any time
	enum { EXPIRES_CLOSED, EXPIRES_RESET, EXPIRES_REFUSED, EXPIRES_LASTING } expires;
} states[] = {
	[TALK_FREE] = { 0 },
	[TALK_FIRST] = { READS_CLIENT, explicit_first, 0, EXPIRES_CLOSED },
	[TALK_GREETING] = { READS_CLIENT, explicit_greeting, 0, EXPIRES_CLOSED },
	[TALK_SOCKS] = { READS_CLIENT, explicit_socks, 0, EXPIRES_CLOSED },
	[TALK_DIAL] = { READS_NOTHING, explicit_dial, 0, EXPIRES_CLOSED },
	[TALK_SNIFF] = { READS_BOTH, run_sniff, 0, EXPIRES_REFUSED },
	[TALK_HELLO] = { READS_CLIENT, hello_run, HEAD_MILLISECONDS, EXPIRES_REFUSED },
	[TALK_ANSWER] = { READS_BOTH, hello_run_answer, HEAD_MILLISECONDS, EXPIRES_RESET },
	[TALK_SSH] = { READS_BOTH, run_ssh, HEAD_MILLISECONDS, EXPIRES_REFUSED },
	[TALK_REQUEST] = { READS_CLIENT, exchange_request, HEAD_MILLISECONDS, EXPIRES_REFUSED },
	[TALK_EXCHANGE] = { READS_BOTH, exchange_run, 0, EXPIRES_CLOSED },
	[TALK_INSPECT] = { READS_BOTH, inspect_run, LASTING_MILLISECONDS, EXPIRES_LASTING },
	[TALK_TUNNEL] = { READS_BOTH, run_tunnel, LASTING_MILLISECONDS, EXPIRES_LASTING },
	[TALK_DENY] = { READS_CLIENT, deny_run, 0, EXPIRES_RESET },
	[TALK_DRAIN] = { READS_CLIENT, deny_drain, 0, EXPIRES_CLOSED },
	[TALK_DNS] = { READS_CLIENT, respond_stream, 0, EXPIRES_CLOSED },
};
_Static_assert(sizeof(states) / sizeof(*states) == TALK_STATES, "a row for each state");

static bool write_both(struct worker *worker, struct slot *slot)
{
	bool moved = flow_write(worker, slot, CLIENT);
	return flow_write(worker, slot, SERVER) || moved;
}

// True when bytes moved.
static bool pump(struct worker *worker, struct slot *slot)
{
	const struct state *state = &states[slot->talk];
	bool moved = write_both(worker, slot);
	slot->heard[CLIENT] = state->reads != READS_NOTHING && flow_read(worker, slot, CLIENT);
	slot->heard[SERVER] = state->reads == READS_BOTH && slot->dialing == DIAL_OPEN &&
			      flow_read(worker, slot, SERVER);
	return moved || slot->heard[CLIENT] || slot->heard[SERVER];
}

// What became of the dial since the last turn. False while the caller's own proxy has not answered.
static bool hear_dial(struct worker *worker, struct slot *slot)
{
	if (slot->dialing == DIAL_RESOLVED)
		dial_resolved(worker, slot);
	if (slot->dialing == DIAL_ASK && !dial_asked(worker, slot))
		return false;
	if (slot->dialing == DIAL_FAILED)
		deny_failed(worker, slot);
	if (slot->opened)
		slot_deadline(worker, slot,
			      slot->talk == TALK_SNIFF && slot->reading_head
				      ? HEAD_MILLISECONDS
				      : states[slot->talk].patience);
	slot->opened = false;
	return true;
}

// A few turns, then the others': one busy connection does not hold up the rest.
void talk_run(struct worker *worker, struct slot *slot)
{
	for (int turn = 0; turn < TURNS_MOST && !slot->ending; turn++) {
		if (!hear_dial(worker, slot))
			return;
		bool moved = pump(worker, slot);
		if (slot->ending)
			return;
		moved = states[slot->talk].run(worker, slot) || moved;
		if (!write_both(worker, slot) && !moved)
			return;
	}
	if (!slot->ending)
		slot_wake(worker, slot);
}

void talk_expired(struct worker *worker, struct slot *slot)
{
	size_t length;
	slot_deadline(worker, slot, 0);
	if (slot->dialing == DIAL_LOOKUP || slot->dialing == DIAL_CONNECT ||
	    slot->dialing == DIAL_ASK) {
		dial_expired(worker, slot);
		return;
	}
	switch (states[slot->talk].expires) {
	case EXPIRES_LASTING:
		dial_keep_alive(slot);
		return;
	case EXPIRES_REFUSED:
		// Bytes that began something and do not say in time what.
		talk_unread(slot, &length);
		if (length > 0 && !slot->explicit_proxy) {
			talk_refuse(worker, slot, "its first bytes are not whole after 30 s",
				    FIX_NONE);
			return;
		}
		break;
	case EXPIRES_RESET:
		slot_reset(worker, slot);
		return;
	case EXPIRES_CLOSED:
		break;
	}
	slot_close(worker, slot);
}
