// Messages between the supervisor and a worker of the proxy, over a SOCK_SEQPACKET socket pair.
#pragma once

#include "net/parse/parse.h"
#include "net/rules/shared.h"

enum { REASON_MAX = 128, RECORDS_AT_ONCE = 8 };

// What became of a connection, or of so many that were refused alike.
struct conn_record {
	struct host host;
	uint16_t port;
	enum conn_verdict { VERDICT_ALLOWED, VERDICT_DENIED, VERDICT_FAILED, VERDICTS } verdict;
	char rule[RULE_TEXT_MAX]; // that allowed or denied; empty for none
	char why[REASON_MAX];     // of DENIED and FAILED
	// DENIED: a rule that would allow it, for this very destination
	enum fix { FIX_NONE, FIX_RULE, FIX_RAW, FIX_ECH } fix; // host:port; with /tcp, /ech
	bool explicit_proxy;                                   // came by HTTP proxy or SOCKS
	struct ends ends; // of the last connection: tell whose it was
	bool dialled;     // `address` is where it went
	struct address address;
	int64_t time; // when it ended: milliseconds, by CLOCK_MONOTONIC
	uint32_t count;
	uint64_t up, down;
};

// Whether both speak of one destination, verdict and reason.
bool record_alike(const struct conn_record *left, const struct conn_record *right);

// To the supervisor.
struct worker_event {
	enum worker_event_kind {
		EVENT_RECORD, // connections that were refused, or let through and have ended
		// The first of its kind: answered by COMMAND_SEEN, with `token`. One that is let
		// through has no count yet.
		EVENT_NEW,
		// Are the host's tables of names still the same? Answered by COMMAND_FILES.
		EVENT_FILES,
		EVENT_ASK,     // is not listed, and connections wait for COMMAND_ANSWER
		EVENT_SOCKETS, // more sockets of the box's, for published ports
		EVENT_UNHEARD, // nobody listens at a published port
	} kind;
	unsigned count; // of `records`; NEW and ASK: one
	uint64_t token; // of who waits
	struct conn_record records[RECORDS_AT_ONCE];
};
// Its bytes on the way.
size_t event_size(const struct worker_event *event);
// Whether all that it has is what a worker may say: a worker reads hostile bytes. `now` is the
// steady clock's, in milliseconds. Pure.
bool event_is_good(const struct worker_event *event, int64_t now);

// To a worker.
struct worker_command {
	enum worker_command_kind {
		COMMAND_FILES,   // with descriptors of hosts and resolv.conf where they changed
		COMMAND_RULES,   // the rules changed: look at every connection again
		COMMAND_SOCKETS, // with sockets
		COMMAND_DOOR,    // a published port at `place`: with sockets that listen, or none
		COMMAND_SEEN, // the new record of `token` was taken, and whose it is was looked up
		COMMAND_ANSWER, // to what waits for `host`; `answer`
		COMMAND_END,    // take what came, report, then exit
	} kind;
	bool changed[2];  // COMMAND_FILES: which of the two came
	uint64_t token;   // COMMAND_SEEN
	struct host host; // COMMAND_ANSWER
	uint16_t port;    // of it; COMMAND_DOOR: of the box
	unsigned place;   // COMMAND_DOOR
	enum hold_answer { HOLD_REFUSED, HOLD_UNANSWERED, HOLD_TOO_MANY, HOLD_ONCE } answer;
};
