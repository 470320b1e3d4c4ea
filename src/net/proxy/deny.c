// Owns refusals: told in the protocol that the client speaks, so that nobody takes them for a
// broken network.
#include <stdio.h>
#include <string.h>

#include "net/parse/opening.h"
#include "net/parse/socks.h"
#include "net/parse/tls.h"
#include "net/proxy/worker.h"

enum { SILENT_MILLISECONDS = 300, HALF_MILLISECONDS = 800, DRAIN_MILLISECONDS = 1000 };

static void drain(struct worker *worker, struct slot *slot)
{
	slot->talk = TALK_DRAIN;
	slot_close_server(slot);
	slot_deadline(worker, slot, DRAIN_MILLISECONDS);
	// A word of the server's that was not understood does not pass either.
	slot->flow[SERVER].end = slot->flow[SERVER].cleared;
	// What was read stays unanswered, what comes is thrown away.
	slot->keeping = false;
	slot->flow[CLIENT].start = slot->flow[CLIENT].cleared = slot->flow[CLIENT].end = 0;
}

void deny_begin(struct worker *worker, struct slot *slot, const char *why)
{
	if (why != slot->problem)
		snprintf(slot->problem, sizeof(slot->problem), "%s", why);
	slot->talk = TALK_DENY;
	slot_close_server(slot);
	slot_deadline(worker, slot, SILENT_MILLISECONDS);
}

static const char *phrase(int status)
{
	switch (status) {
	case 400:
		return "Bad Request";
	case 403:
		return "Forbidden";
	case 502:
		return "Bad Gateway";
	case 503:
		return "Service Unavailable";
	default:
		return "Error";
	}
}

void deny_http(struct worker *worker, struct slot *slot, int status)
{
	char host[HOST_NAME_MOST + 1], fix[HOST_NAME_MOST + 64] = "", body[1024], head[1024];
	const struct record *record = slot->record >= 0 ? &worker->records[slot->record] : NULL;
	host_text(&slot->host, host);
	if (status == 403 && record && record->fix == FIX_RULE)
		snprintf(fix, sizeof(fix), "%s%s%s:%u", strchr(host, ':') ? "[" : "", host,
			 strchr(host, ':') ? "]" : "", slot->port);
	int length =
		snprintf(body, sizeof(body),
			 "{\"error\":\"%s\",\"host\":\"%s\",\"port\":%u,\"reason\":\"%s\"%s%s%s}\n",
			 status == 403 ? "blocked by sbx" : "sbx could not do this", host,
			 slot->port, slot->problem,
			 *fix ? ",\"fix\":\"sbx run --allow-domain " : "", fix, *fix ? "\"" : "");
	int used = snprintf(
		head, sizeof(head),
		"HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
		"Connection: close\r\n%s%s%s\r\n",
		status, phrase(status), length, *fix ? "x-sbx-blocked: allow = " : "",
		*fix            ? fix
		: status == 403 ? "x-sbx-blocked: refused"
				: "",
		*fix || status == 403 ? "\r\n" : "");
	drain(worker, slot);
	flow_say(slot, head, (size_t)used);
	if (!slot->asks_head)
		flow_say(slot, body, (size_t)length);
}

void deny_socks(struct worker *worker, struct slot *slot, int reply)
{
	uint8_t answer[] = { SOCKS_VERSION, (uint8_t)reply, 0, 1, 0, 0, 0, 0, 0, 0 };
	drain(worker, slot);
	flow_say(slot, answer, sizeof(answer));
}

bool deny_run(struct worker *worker, struct slot *slot)
{
	const struct flow *flow = &slot->flow[CLIENT];
	bool denied = slot->record >= 0 && worker->records[slot->record].verdict == VERDICT_DENIED;
	size_t length;
	const uint8_t *bytes = talk_unread(slot, &length);
	if (length == 0 && !flow->ended)
		return false;
	if (length > 0 && bytes[0] == TLS_HANDSHAKE) {
		uint8_t alert[sizeof(tls_denied)];
		enum { INTERNAL_ERROR = 80 };
		memcpy(alert, tls_denied, sizeof(alert));
		if (!denied)
			alert[sizeof(alert) - 1] = INTERNAL_ERROR;
		drain(worker, slot);
		flow_say(slot, alert, sizeof(alert));
		return true;
	}
	enum opening opening = length ? opening_burst(bytes, length) : OPENING_OTHER;
	if (opening == OPENING_HTTP) {
		deny_http(worker, slot, denied ? 403 : 502);
		return true;
	}
	if (opening == OPENING_MORE && !flow->ended) {
		if (slot->heard[CLIENT])
			slot_deadline(worker, slot, HALF_MILLISECONDS);
		return false;
	}
	slot_reset(worker, slot);
	return false;
}

void deny_failed(struct worker *worker, struct slot *slot)
{
	slot->record =
		record_slot(worker, slot, VERDICT_FAILED, slot->rule.text, slot->problem, FIX_NONE);
	if (slot->talk == TALK_DIAL && slot->socks)
		deny_socks(worker, slot, SOCKS_UNREACHABLE);
	else if (slot->talk == TALK_DIAL || slot->talk == TALK_REQUEST ||
		 slot->talk == TALK_EXCHANGE)
		deny_http(worker, slot, 502);
	else
		deny_begin(worker, slot, slot->problem);
}

// Ends the connection so that the client still reads our words: a close with unread bytes would
// be a reset, which throws them away.
bool deny_drain(struct worker *worker, struct slot *slot)
{
	struct flow *out = &slot->flow[SERVER], *in = &slot->flow[CLIENT];
	in->start = in->cleared = in->end = 0;
	flow_write(worker, slot, SERVER);
	if (flow_empty(out) && !out->shut) {
		shutdown(slot->fd[CLIENT], SHUT_WR);
		out->shut = true;
	}
	if (in->ended && out->shut)
		slot_close(worker, slot);
	return false;
}
