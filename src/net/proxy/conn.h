// A connection and its two flows of bytes: types, and the life of one. Nothing is allocated for a
// connection: all of them are there when the worker begins.
//
// The room net/proxy owns the locked process that serves connections. Calls go down, in this order:
// worker (the loop), accept, client (the table of states), {hello, inspect, exchange, dns_server},
// route, deny, dial, lookup, flow, syn, record, conn; what comes of them goes up as `enum turn`.
// Uses: base apart net/parse net/rules net/setup nouns open text. Begin with the table in client.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/parse/parse.h"
#include "net/rules/control.h"

enum {
	BUFFER_SIZE = HTTP_HEAD_MAX, // whole pages
	SWEEP_MILLISECONDS = 1000,
	SWEEP_LEAST = 64,
	FIRST_WORDS_MILLISECONDS = 100, // behind the caller's own proxy
	HTTP_PORT = 80,
	HTTPS_PORT = 443,
	HELLOS_MAX = 8, // more in one connection are an attack
};
#define UNLIMITED_PASS UINT64_MAX

struct worker;
struct lookup;

enum peer_side { CLIENT, SERVER };

// Bytes from one side to the other: bytes[start, cleared) may be written; a parser must read
// [cleared, end).
struct flow {
	uint32_t start, cleared, end;
	uint64_t allowance; // bytes behind `end` that may pass unread
	bool full;          // the last read filled the buffer
	bool ended, shut;   // EOF was read; EOF was passed on
};

// Only the loop ends a connection. The larger value wins.
enum turn {
	TURN_WAIT,  // until the next event
	TURN_MOVED, // bytes moved: run again at once
	TURN_CLOSE, // end the connection
	TURN_RESET, // with RST to both sides
};

enum conn_state {
	CONN_FREE,
	CONN_ENDED,    // freed at the end of the turn
	CONN_SYN,      // see syn.h
	CONN_FIRST,    // HTTP or SOCKS?
	CONN_GREETING, // greeting of SOCKS
	CONN_SOCKS,    // request of SOCKS
	CONN_DIAL,     // CONNECT or SOCKS: replied once the server is connected
	CONN_SNIFF,    // what does the client speak?
	CONN_HELLO,    // TLS: until the name is known
	CONN_OPEN,     // TLS to a host of a secret: to the opener
	CONN_ANSWER,   // until the server has not asked for a second hello
	CONN_SSH,      // until both sides have sent their lines
	CONN_REQUEST,  // HTTP: the head of a request
	CONN_EXCHANGE, // HTTP: its body, and the response
	CONN_INSPECT,  // both ways; hellos and requests are judged
	CONN_TUNNEL,   // both ways
	CONN_DENY,     // sends a refusal in the client's protocol
	CONN_DRAIN,    // writes the rest, then ends
	CONN_DNS,      // over TCP
	CONN_STATES,
};

enum dialing {
	DIAL_NONE,
	DIAL_HELD, // route.h
	DIAL_LOOKUP,
	DIAL_RESOLVED, // not judged yet
	DIAL_CONNECT,
	DIAL_READY, // the caller's own proxy waits for the client's protocol
	DIAL_ASK,   // the caller's proxy was asked for a tunnel
	DIAL_OPEN,
	DIAL_FAILED, // `problem`; the client has no reply yet
};

struct conn {
	enum conn_state state;
	enum dialing dialing;
	enum turn end; // how it ended
	bool opened;   // the client's patience begins anew
	bool heard[2]; // which side sent bytes in this turn
	uint32_t generation;
	int fd[2];
	bool readable[2], writable[2], closing[2], awaits_room[2]; // by the last epoll event
	bool unwatched;                                            // the user has too many watches
	bool queued, explicit_proxy, socks, paused, reading_head;
	struct flow flow[2];
	int64_t deadline; // milliseconds; 0: none

	// Before accept(): the first segment.
	struct segment syn;
	uint32_t syn_next;
	enum conn_state then;
	bool let, refused;

	struct host host;                     // the destination
	char called[HOST_NAME_BYTES_MAX + 1]; // the destination in the client's spelling
	unsigned form;                        // resolv_name()
	bool unlisted;                        // no allowed form of the name exists
	enum existence { NAME_EXISTS, NAME_EMPTY, NAME_MISSING } existence; // if known
	// Whether the host's resolver makes addresses up.
	bool proving, proved, made_up;
	uint32_t place; // of its synthetic address, or 0
	uint16_t port;
	struct ends ends;
	bool recorded;             // `record` is the last verdict
	struct conn_record record; // ALLOWED is reported at the end
	// Records without a known owner: until then the client gets no reply, or it could exit.
	unsigned held;
	uint64_t budgets; // bits of rules->budgets that count it
	struct rule rule; // that allows it
	bool once;        // a person's answer allows this connection alone

	struct lookup *lookup;
	bool by_proxy; // the caller's own proxy
	bool absolute; // that proxy gets requests, no CONNECT
	struct address addresses[ADDRESSES_MAX];
	uint16_t dial_port;
	unsigned address_count, address_next;
	int attempt[2];
	unsigned published; // 1 + index of the published port, or 0
	int inside[2];      // sockets for the box's two loopbacks
	char problem[REASON_MAX];

	// By the rule, or the port.
	bool raw;
	int64_t asked; // DNS over TCP: time of the first question
	bool greeted;  // SSH: the server's line was seen
	bool retried;  // TLS: the server asked for a second hello
	// inspect: bytes from `kept` on have passed and are read again
	bool keeping, burst, request_like;
	uint32_t kept, request_at, request_next;

	// Reads each byte once: conn_read_anew().
	struct opening_read opening;
	uint32_t hello_needs; // bytes needed for a decision
	struct hello_begun {
		uint32_t at, needs;
	} hellos[HELLOS_MAX]; // offsets from the first kept byte
	uint32_t hello_count, hello_searched;

	struct head_read {
		uint32_t searched, parsed; // bytes of a head
	} head[2];
	bool asks_head, upgrade, keep_alive, request_done, response_done, response_head;
	enum http_body request_body, response_body;
	uint64_t request_length; // its first line is not judged yet; else 0
	enum http_chunk request_chunk, response_chunk;

	char *bytes[2]; // BUFFER_SIZE, or one of worker->bulk
};

// Ports that only carry HTTP and TLS.
static inline bool conn_is_web(const struct conn *conn)
{
	return conn->port == HTTP_PORT || conn->port == HTTPS_PORT;
}

// `fd` -1: not accepted yet.
struct conn *conn_accept(struct worker *worker, int fd);
enum watched { WATCHED_NOT, WATCHED_ALREADY };
void conn_watch(struct worker *worker, struct conn *conn, enum peer_side side,
		enum watched watched);
void conn_await_room(struct worker *worker, struct conn *conn, enum peer_side side);
void conn_wake(struct worker *worker, struct conn *conn);
void conn_deadline(struct worker *worker, struct conn *conn, int milliseconds);
// NULL: free, or ended.
struct conn *conn_at(const struct worker *worker, uint32_t index);
// TURN_CLOSE or TURN_RESET. Freed at the end of the turn.
void conn_end(struct worker *worker, struct conn *conn, enum turn how);
void conn_free(struct worker *worker, struct conn *conn);
// Memory of free and quiet connections goes back to the host.
void conn_sweep(struct worker *worker);
// `large`: more than SMALL_BYTES.
void conn_hold(struct worker *worker, const struct conn *conn, bool large);
// Gives an empty side a bulk buffer if one is free, or its own buffer again.
void conn_lend(struct worker *worker, struct conn *conn, enum peer_side side, bool bulk);
bool conn_is_lent(const struct worker *worker, const struct conn *conn, enum peer_side side);
void conn_seen(struct worker *worker, uint64_t token); // the record's owner was found
// Reads the kept bytes again from the first.
void conn_read_anew(struct conn *conn);
void conn_stop_dialing(struct conn *conn);
void conn_close_server(struct conn *conn);
enum tag {
	TAG_LISTENER,
	TAG_PUBLISHED,
	TAG_CONTROL,
	TAG_ARES,
	TAG_CLIENT,
	TAG_SERVER,
	TAG_ATTEMPT_0,
	TAG_ATTEMPT_1
};
// Tags an event, so that one of a closed conn does not reach the slot's next user.
static inline uint64_t conn_tag(enum tag tag, uint32_t index, uint32_t generation)
{
	return (uint64_t)tag << 60 | (uint64_t)(generation & 0xfffffff) << 32 | index;
}
