// Owns the first words of a client to the explicit proxy: HTTP or SOCKS, and what SOCKS is
// answered.
#include "net/parse/socks.h"
#include "net/proxy/worker.h"

bool explicit_first(struct worker *worker, struct slot *slot)
{
	size_t length;
	const uint8_t *bytes = talk_unread(slot, &length);
	if (length == 0 && slot->flow[CLIENT].ended)
		slot_close(worker, slot);
	if (length == 0)
		return false;
	slot->talk = bytes[0] == SOCKS_VERSION ? TALK_GREETING : TALK_REQUEST;
	slot->socks = slot->talk == TALK_GREETING;
	return true;
}

bool explicit_greeting(struct worker *worker, struct slot *slot)
{
	static const uint8_t open_answer[] = { SOCKS_VERSION, 0 }, none[] = { SOCKS_VERSION, 0xff };
	size_t length, used;
	bool open;
	const uint8_t *bytes = talk_unread(slot, &length);
	enum parse result = socks_greeting(bytes, length, &used, &open);
	if (result == PARSE_MORE && !slot->flow[CLIENT].ended)
		return false;
	if (result != PARSE_DONE) {
		slot_close(worker, slot);
		return false;
	}
	flow_skip(&slot->flow[CLIENT], (uint32_t)used);
	flow_say(slot, open ? open_answer : none, sizeof(none));
	slot->talk = open ? TALK_SOCKS : TALK_DRAIN;
	return true;
}

bool explicit_socks(struct worker *worker, struct slot *slot)
{
	size_t length;
	struct socks_request request;
	const uint8_t *bytes = talk_unread(slot, &length);
	enum parse result = socks_request(bytes, length, &request);
	if (result == PARSE_MORE && !slot->flow[CLIENT].ended)
		return false;
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

bool explicit_dial(struct worker *worker, struct slot *slot)
{
	static const char connected[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	static const uint8_t socks[] = { SOCKS_VERSION, SOCKS_OK, 0, 1, 0, 0, 0, 0, 0, 0 };
	(void)worker;
	if (slot->dialing != DIAL_OPEN)
		return false;
	flow_say(slot, slot->socks ? (const void *)socks : connected,
		 slot->socks ? sizeof(socks) : sizeof(connected) - 1);
	slot->talk = TALK_SNIFF;
	slot->explicit_proxy = false; // from here on as if it had connected by itself
	return true;
}
