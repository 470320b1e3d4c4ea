// Messages between the supervisor and a worker of the proxy, over SOCK_SEQPACKET.
#pragma once

#include "net/parse/parse.h"
#include "net/rules/shared.h"

enum { REASON_MAX = 128, RECORDS_AT_ONCE = 8 };

struct conn_record {
	struct host host;
	uint16_t port;
	enum conn_verdict { VERDICT_ALLOWED, VERDICT_DENIED, VERDICT_FAILED, VERDICTS } verdict;
	char rule[RULE_TEXT_MAX];
	char why[REASON_MAX];
	// VERDICT_DENIED: the kind of rule that would allow it.
	enum fix { FIX_NONE, FIX_RULE, FIX_RAW, FIX_ECH } fix;
	bool explicit_proxy;
	struct ends ends;
	bool dialled;
	struct address address;
	int64_t time; // steady_now()
	uint32_t count;
	uint64_t up, down;
};

extern const char *const conn_verdicts[VERDICTS];
bool record_alike(const struct conn_record *left, const struct conn_record *right);

struct worker_event {
	enum worker_event_kind {
		EVENT_RECORD,
		// The first record of its kind. COMMAND_SEEN answers with the same `token`.
		EVENT_NEW,
		EVENT_FILES,
		EVENT_ASK,     // connections wait for COMMAND_ANSWER
		EVENT_SOCKETS, // needs more sockets of the box for published ports
		EVENT_UNHEARD, // no program listens at a published port
	} kind;
	unsigned count;
	uint64_t token;
	struct conn_record records[RECORDS_AT_ONCE];
};
size_t event_size(const struct worker_event *event);
// Checks a message of the worker, which a box may control. `now`: steady_now().
bool event_is_good(const struct worker_event *event, int64_t now);

struct worker_command {
	enum worker_command_kind {
		COMMAND_FILES, // descriptors of changed /etc/hosts, /etc/resolv.conf
		COMMAND_RULES,
		COMMAND_SOCKETS,
		COMMAND_DOOR, // listening sockets of a published port, or none
		COMMAND_SEEN,
		COMMAND_ANSWER,
		COMMAND_END,
	} kind;
	bool changed[2];
	uint64_t token;
	struct host host;
	uint16_t port;
	unsigned place;
	enum hold_answer { HOLD_REFUSED, HOLD_UNANSWERED, HOLD_TOO_MANY, HOLD_ONCE } answer;
};
