// Messages between the supervisor and a worker of the proxy, over a SOCK_SEQPACKET socket pair.
#pragma once

#include "net/parse/parse.h"
#include "net/rules/shared.h"

enum { REASON_MAX = 128, RECORDS_AT_ONCE = 8 };

struct conn_record {
	struct host host;
	uint16_t port;
	enum conn_verdict { VERDICT_ALLOWED, VERDICT_DENIED, VERDICT_FAILED, VERDICTS } verdict;
	char rule[RULE_TEXT_MAX]; // that allowed or denied; empty for none
	char why[REASON_MAX];     // of DENIED and FAILED
	// DENIED: a rule that would allow it
	enum fix { FIX_NONE, FIX_RULE, FIX_RAW, FIX_ECH } fix; // host:port; with /tcp, /ech
	bool explicit_proxy;                                   // came by HTTP proxy or SOCKS
	struct ends ends; // of the last connection: tell whose it was
	bool dialled;     // `address` is where it went
	struct address address;
	int64_t time; // CLOCK_MONOTONIC, milliseconds
	uint32_t count;
	uint64_t up, down;
};

// Whether both speak of one destination, verdict and reason.
bool record_alike(const struct conn_record *left, const struct conn_record *right);

struct worker_event {
	enum worker_event_kind {
		EVENT_RECORD,
		// The first of its kind: answered by COMMAND_SEEN, with `token`.
		EVENT_NEW,
		// Answered by COMMAND_FILES.
		EVENT_FILES,
		EVENT_ASK,     // connections wait for COMMAND_ANSWER
		EVENT_SOCKETS, // more sockets of the box's, for published ports
		EVENT_UNHEARD, // nobody listens at a published port
	} kind;
	unsigned count; // of `records`; NEW and ASK: one
	uint64_t token;
	struct conn_record records[RECORDS_AT_ONCE];
};
// Its bytes on the way.
size_t event_size(const struct worker_event *event);
// A worker reads hostile bytes. `now`: the steady clock, milliseconds. Pure.
bool event_is_good(const struct worker_event *event, int64_t now);

struct worker_command {
	enum worker_command_kind {
		COMMAND_FILES, // descriptors of hosts and resolv.conf where they changed
		COMMAND_RULES, // look at every connection again
		COMMAND_SOCKETS,
		COMMAND_DOOR, // sockets that listen at a published port, or none
		COMMAND_SEEN,
		COMMAND_ANSWER, // to what waits for `host`; `answer`
		COMMAND_END,    // take what came, report, then exit
	} kind;
	bool changed[2]; // COMMAND_FILES: which of the two came
	uint64_t token;
	struct host host;
	uint16_t port;
	unsigned place;
	enum hold_answer { HOLD_REFUSED, HOLD_UNANSWERED, HOLD_TOO_MANY, HOLD_ONCE } answer;
};
