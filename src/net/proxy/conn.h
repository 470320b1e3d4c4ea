// The worker maps memory for all connections at its start, and allocates none for a connection.
//
// The room net/proxy owns the sandboxed process that serves connections. Calls go down, in this
// order: worker (the loop), accept, client (the table of states), {hello, inspect, exchange,
// dns_server}, route, deny, dial, lookup, flow, syn, record, conn; their results go up as `enum
// turn`. Uses: base, apart, net/parse, net/rules, net/setup, nouns, secrets/dialogue, text. Begin
// with the table in client.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/parse/parse.h"
#include "net/rules/control.h"

enum {
	BUFFER_SIZE = HTTP_HEAD_MAX, // whole pages
	SWEEP_MILLISECONDS = 1000,
	SWEEP_LEAST = 64,
	FIRST_WORDS_MILLISECONDS = 100, // upstream proxy: time for a client's first bytes
	HTTP_PORT = 80,
	HTTPS_PORT = 443,
	HELLOS_MAX = 8, // TLS hellos begun in one connection; more are an attack
};
#define UNLIMITED_PASS UINT64_MAX

struct worker;
struct lookup;

enum peer_side { CLIENT, SERVER };

// Bytes from one side to the other. bytes[start, cleared) may be sent on. A parser must read
// bytes[cleared, end) first.
struct flow {
	uint32_t start, cleared, end;
	uint64_t allowance; // bytes after `end` that may pass unread
	bool full;          // the last read filled the buffer
	bool ended, shut;   // EOF was read; EOF was passed on
};

// The result of a turn. Two results combine to the larger. Only the worker's loop ends a
// connection.
enum turn {
	TURN_WAIT,  // until the next event
	TURN_MOVED, // bytes moved: run again at once
	TURN_CLOSE,
	TURN_RESET, // both sides get RST
};

enum conn_state {
	CONN_FREE,
	CONN_ENDED,    // freed at the end of the turn
	CONN_SYN,      // waits at its first segment (syn.h)
	CONN_FIRST,    // explicit proxy: HTTP or SOCKS?
	CONN_GREETING, // SOCKS: the greeting
	CONN_SOCKS,    // SOCKS: the request
	CONN_DIAL,     // CONNECT or SOCKS: the reply waits for the server
	CONN_SNIFF,    // detects the client's protocol
	CONN_HELLO,    // TLS: until the name is known
	CONN_OPEN,     // TLS to a host of a secret: hands it to the opener
	CONN_ANSWER,   // TLS: the server may ask for a second hello
	CONN_SSH,      // SSH: until both sides have sent their lines
	CONN_REQUEST,  // HTTP: the head of a request
	CONN_EXCHANGE, // HTTP: the request's body, and the response
	CONN_INSPECT,  // a tunnel whose hellos and requests are judged
	CONN_TUNNEL,   // a tunnel that nothing reads
	CONN_DENY,     // sends a refusal in the client's protocol
	CONN_DRAIN,    // writes the rest, then ends
	CONN_DNS,      // DNS over TCP
	CONN_STATES,
};

enum dialing {
	DIAL_NONE,
	DIAL_HELD, // waits for an answer (route.h)
	DIAL_LOOKUP,
	DIAL_RESOLVED, // the addresses are not judged yet
	DIAL_CONNECT,
	DIAL_READY, // upstream proxy: waits for the client's protocol
	DIAL_ASK,   // upstream proxy: asked for a tunnel
	DIAL_OPEN,
	DIAL_FAILED, // see `problem`; the client has no reply yet
};

struct conn {
	enum conn_state state;
	enum dialing dialing;
	enum turn end; // TURN_CLOSE or TURN_RESET
	bool opened;   // in this turn the state's `patience` begins anew
	bool heard[2]; // which side sent bytes in this turn
	uint32_t generation;
	int fd[2];
	bool readable[2], writable[2], closing[2], awaits_room[2]; // by epoll events and EAGAIN
	bool unwatched; // the user has too many epoll watches
	bool queued, explicit_proxy, socks, paused, reading_head;
	struct flow flow[2];
	int64_t deadline; // steady_now(); 0: none

	// The first segment, until accept() (syn.h).
	struct segment syn;
	uint32_t syn_next;
	enum conn_state then;
	bool let, refused;

	struct host host;                     // the destination
	char called[HOST_NAME_BYTES_MAX + 1]; // the destination in the client's spelling
	unsigned form;                        // search domain of `host` (resolv_name())
	bool unlisted;                        // no allowed long name exists
	enum existence { NAME_EXISTS, NAME_EMPTY, NAME_MISSING } existence; // of `host`, if known
	// dial_proves(): whether the host's resolver invents addresses.
	bool proving, proved, made_up;
	uint32_t place; // index of the destination's synthetic address, or 0
	uint16_t port;
	struct ends ends;
	bool recorded;             // `record` has the last verdict
	struct conn_record record; // VERDICT_ALLOWED is reported at the end
	// Number of records whose owner process the supervisor seeks. Until then the client gets no
	// reply: it could exit.
	unsigned held;
	uint64_t budgets; // a bit for each of rules->budgets that counts this connection
	struct rule rule; // allows the connection
	bool once;        // allowed by the answer "once"

	struct lookup *lookup;
	bool by_proxy; // the server is the upstream proxy
	bool absolute; // the upstream proxy gets requests, no CONNECT
	struct address addresses[ADDRESSES_MAX];
	uint16_t dial_port;
	unsigned address_count, address_next;
	int attempt[2];
	unsigned published; // 1 + index of the published port, or 0
	int inside[2];      // sockets for the box's 127.0.0.1 and ::1
	char problem[REASON_MAX];

	// Any protocol may pass, by the rule or the port.
	bool raw;
	int64_t asked; // DNS over TCP: time of the first question
	bool greeted;  // SSH: the server's line was seen
	bool retried;  // TLS: the server asked for a second hello
	// inspect.c: bytes from `kept` on have passed, and are read again with later ones.
	bool keeping, burst, request_like;
	uint32_t kept, request_at, request_next;

	// Progress of the readers: they read each byte once. conn_read_anew() resets it.
	struct opening_read opening;
	uint32_t hello_needs; // bytes needed for a decision
	struct hello_begun {
		uint32_t at, needs;
	} hellos[HELLOS_MAX]; // offsets from `kept`
	uint32_t hello_count, hello_searched;

	struct head_read {
		uint32_t searched, parsed; // bytes of a head: searched for its end, parsed
	} head[2];
	bool asks_head, upgrade, keep_alive, request_done, response_done, response_head;
	enum http_body request_body, response_body;
	uint64_t request_length; // of a body whose first bytes are not judged yet, or 0
	enum http_chunk request_chunk, response_chunk;

	char *bytes[2]; // of BUFFER_SIZE, or one of worker->bulk
};

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
// Returns NULL if the connection is free or has ended.
struct conn *conn_at(const struct worker *worker, uint32_t index);
// `how`: TURN_CLOSE or TURN_RESET. The worker's loop frees the connection at the end of its turn.
void conn_end(struct worker *worker, struct conn *conn, enum turn how);
void conn_free(struct worker *worker, struct conn *conn);
// Gives memory of free and quiet connections back to the kernel.
void conn_sweep(struct worker *worker);
// Counts the memory of a connection. `large`: more than SMALL_BYTES.
void conn_hold(struct worker *worker, const struct conn *conn, bool large);
// Gives an empty side a bulk buffer if one is free, or its own buffer again.
void conn_lend(struct worker *worker, struct conn *conn, enum peer_side side, bool bulk);
bool conn_is_lent(const struct worker *worker, const struct conn *conn, enum peer_side side);
void conn_seen(struct worker *worker, uint64_t token); // the record's owner was found
// Makes the readers begin again with the first kept byte.
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
// The tag of an epoll event. An event with the `generation` of an earlier connection is ignored.
static inline uint64_t conn_tag(enum tag tag, uint32_t index, uint32_t generation)
{
	return (uint64_t)tag << 60 | (uint64_t)(generation & 0xfffffff) << 32 | index;
}
