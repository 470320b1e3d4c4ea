// The inside of a worker: slots, flows, and who does what with them. See proxy.h for the outside.
// A worker owns nothing but sockets. Everything it reads is hostile; nothing is allocated per
// connection.
#pragma once

#include <ares.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/rules/control.h"
#include "net/parse/hosts.h"
#include "net/parse/http.h"
#include "net/setup/netns.h"
#include "net/parse/tls.h"

enum {
	SLOTS_MOST = 9000,
	SLOTS_SCARCE = 4000,          // then another worker is asked for
	BUFFER_SIZE = HTTP_HEAD_MOST, // whole pages
	// Bytes that each side of a connection may hold unpassed when LARGE_MOST connections hold
	// more: the memory is the host's, not the box's.
	SMALL_BYTES = 4096,
	LARGE_MOST = 1024,
	PIPES_MOST = 64,
	PIPE_BYTES = 256 * 1024,
	ADDRESSES_MOST = 8,
	LOOKUPS_MOST = 256,
	RECORDS_MOST = 512,                          // of destinations, for all connections
	RECORDS_ALL = RECORDS_MOST + SLOTS_MOST + 1, // and a place of each connection's own
	PARKED_MOST = 64,
	PUBLISH_SOCKETS = 32,
};
#define UNLIMITED_PASS UINT64_MAX

enum side { CLIENT, SERVER };

// Bytes from one side to the other: first those in the pipe, then buffer[start, cleared), which
// may go; [cleared, end) is still to be read by a parser.
struct flow {
	uint32_t start, cleared, end;
	uint64_t allowance; // that may pass unread after `end`
	int pipe;           // of worker->pipes, or -1
	uint32_t piped;
	bool bulk;        // the last read filled the buffer: worth a pipe
	bool ended, shut; // nothing more comes; the other side knows
};

enum talk {
	TALK_FREE,
	TALK_FIRST,    // to the explicit proxy: HTTP or SOCKS?
	TALK_GREETING, // of SOCKS
	TALK_SOCKS,    // its request
	TALK_DIAL,     // CONNECT or SOCKS: answered when the server is there
	TALK_SNIFF,    // what does the client speak?
	TALK_HELLO,    // TLS: until the name is known
	TALK_ANSWER,   // TLS: until the server asks for no second hello
	TALK_SSH,      // until both sides said so
	TALK_REQUEST,  // HTTP: the head of a request
	TALK_EXCHANGE, // HTTP: its body, and the response
	TALK_INSPECT,  // bytes, both ways; hellos and requests among the client's are judged
	TALK_TUNNEL,   // bytes, both ways
	TALK_DENY,     // a denial, in the client's own language
	TALK_DRAIN,    // what is left is written, then the end
	TALK_DNS,      // over TCP
	TALK_STATES,
};

enum dialing {
	DIAL_NONE,
	DIAL_LOOKUP,
	DIAL_RESOLVED, // `addresses` are the name's, not judged yet
	DIAL_CONNECT,
	DIAL_ASK, // the caller's own proxy
	DIAL_OPEN,
	DIAL_FAILED, // `problem` says why; the client does not know yet
};

struct lookup {
	enum { LOOKUP_FREE, LOOKUP_FILES, LOOKUP_ASKED, LOOKUP_KNOWN, LOOKUP_FAILED } state;
	char name[HOST_NAME_MOST + 1];
	unsigned search; // next domain of the search list to try
	struct address addresses[ADDRESSES_MOST];
	unsigned count;
	int64_t until; // milliseconds
};

struct slot {
	enum talk talk;
	enum dialing dialing;
	// It is closed at the end of the loop's turn: until then nothing moves on it any more.
	enum ending { ENDING_NOT, ENDING_CLOSE, ENDING_RESET } ending;
	bool opened;   // the server is there, and the patience with the client begins anew
	bool heard[2]; // from whom bytes came in this turn
	uint32_t generation;
	int fd[2];
	bool readable[2], writable[2], closing[2], awaits_room[2]; // as epoll said last
	bool queued, explicit_proxy, socks, paused, reading_head;
	struct flow flow[2];
	int64_t deadline; // milliseconds; 0: none

	struct host host; // where it leads
	uint16_t port;
	struct ends ends;
	int record;                  // of worker->records, or -1
	unsigned visit, visit_batch; // of that record
	bool dialled;                // `dialled_to` is where it went
	struct address dialled_to;
	// New records whose owner is still looked for: until then the client gets no answer, or it
	// would be gone with it.
	unsigned held;
	uint64_t budgets; // bits of rules->budgets that count it
	struct rule rule; // that allows it

	// dial
	struct lookup *lookup;
	bool by_proxy; // the caller's own
	struct address addresses[ADDRESSES_MOST];
	uint16_t dial_port;
	unsigned address_count, address_next;
	int attempt[2];
	char problem[REASON_MOST];

	// What the client may speak besides what is read here: by the rule, or by the port.
	bool raw;
	bool greeted; // SSH: the server's line was seen
	bool retried; // TLS: the server asked for a second hello
	// inspect: bytes that have passed and are still to be read, from `kept` on in the
	// client's buffer; what may be a request there, and the last burst
	bool keeping, burst, request_like;
	uint32_t kept, request_at, request_next;

	// HTTP
	bool asks_head, upgrade, keep_alive, request_done, response_done, response_head;
	enum http_body request_body, response_body;
	uint64_t request_length; // of a body whose beginning is not judged yet; else 0
	enum http_chunk request_chunk, response_chunk;

	char (*buffer)[BUFFER_SIZE]; // of each side
};

struct worker {
	struct shared *shared;
	int epoll, control;
	int spare;          // a descriptor to turn somebody away with
	bool first;         // answers DNS
	bool relayed;       // tier landlock: connections come from the host's loopback
	bool full;          // asked for another worker
	bool rules_changed; // and open connections are not judged by them yet
	int listeners[LISTENERS_MOST];
	uint16_t loopback[LISTENERS_MOST];           // port of the host's loopback, 0 for none
	uint16_t loopback_ports[LINK_LOOPBACK_MOST]; // when relayed
	unsigned listener_count;
	int published[LINK_LOOPBACK_MOST];
	uint16_t published_inside[LINK_LOOPBACK_MOST];
	unsigned published_count;
	int sockets[PUBLISH_SOCKETS]; // of the box's network
	unsigned socket_count;

	struct slot *slots;
	char (*buffers)[BUFFER_SIZE]; // two of each slot
	// Of each slot, what its buffers hold of the host's memory; `used`: since the last sweep
	struct held {
		enum { HELD_NOTHING, HELD_SMALL, HELD_LARGE } held;
		bool used;
	} held[SLOTS_MOST];
	unsigned held_count, large_count;
	int64_t next_sweep;
	uint32_t used; // slots that were ever used
	uint32_t free[SLOTS_MOST], free_count, live;
	// Each slot once, and once more while its turn lasts.
	uint32_t queue[2 * SLOTS_MOST], queue_count;
	uint32_t ending[SLOTS_MOST], ending_count;
	unsigned deadlines;
	int64_t now; // milliseconds, by CLOCK_MONOTONIC
	int64_t next_flush, next_timers;

	struct {
		int ends[2];
		bool used;
	} pipes[PIPES_MOST];

	// lookup
	int routes; // netlink, see own.h
	ares_channel channel;
	struct resolv resolv;
	int hosts_file;
	int64_t files_checked;
	bool files_asked;
	struct lookup lookups[LOOKUPS_MOST];

	// the caller's own proxy
	bool has_upstream, behind_box;
	struct host upstream;
	uint16_t upstream_port;
	char authorization[512]; // a header line, or empty
	char no_proxy[2048];

	struct record records[RECORDS_ALL];
	bool dirty[RECORDS_ALL];
	bool any_dirty;
	unsigned record_count; // of the first RECORDS_MOST
	// Clients that wait for ORDER_SEEN after their slot is gone.
	struct parked {
		uint64_t token;
		unsigned held; // 0: a free place
		int fd;
	} parked[PARKED_MOST];
	int64_t rate_start;
	bool any_paused;
};

// slot.c: a slot's life
struct slot *slot_accept(struct worker *worker, int fd);
enum watched { WATCHED_NOT, WATCHED_ALREADY };
void slot_watch(struct worker *worker, struct slot *slot, enum side side, enum watched watched);
void slot_await_room(struct worker *worker, struct slot *slot, enum side side);
void slot_wake(struct worker *worker, struct slot *slot);
void slot_deadline(struct worker *worker, struct slot *slot, int milliseconds);
// Both only mark it: it is freed by slot_free(), when no caller has it in hand. The first one wins.
void slot_close(struct worker *worker, struct slot *slot);
void slot_reset(struct worker *worker, struct slot *slot); // with RST to both sides
void slot_free(struct worker *worker, struct slot *slot);
// What the buffers of free and quiet connections hold goes back to the host, now and then.
void slot_sweep(struct worker *worker);
enum { SWEEP_MILLISECONDS = 2000, SWEEP_LEAST = 64 };
void slot_seen(struct worker *worker, uint64_t token); // a record is no longer waited for
void slot_stop_dialing(struct slot *slot);
void slot_close_server(struct slot *slot);
uint32_t slot_index(const struct worker *worker, const struct slot *slot);
// For the tag of an epoll event.
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
uint64_t slot_tag(enum tag tag, uint32_t index, uint32_t generation);

// accept.c
void accept_all(struct worker *worker, unsigned listener);
void accept_published(struct worker *worker, unsigned index);
void accept_want_sockets(const struct worker *worker);
void accept_take_sockets(struct worker *worker, int *fds);

// flow.c: bytes. True when something moved.
bool flow_read(struct worker *worker, struct slot *slot, enum side from);
bool flow_write(struct worker *worker, struct slot *slot, enum side from);
void flow_clear(struct flow *flow, uint64_t bytes); // lets bytes pass, in the buffer and after
void flow_skip(struct flow *flow, uint32_t bytes);  // takes bytes away
bool flow_empty(const struct flow *flow);
void flow_say(struct slot *slot, const void *bytes, size_t length); // to the client, our own words
void flow_free(struct worker *worker, struct flow *flow);

// talk.c: the state of a conversation. exchange.c: HTTP. deny.c: refusals.
void talk_run(struct worker *worker, struct slot *slot);
void talk_expired(struct worker *worker, struct slot *slot);
bool talk_to(struct worker *worker, struct slot *slot, const struct host *host, uint16_t port);
void talk_tunnel(struct worker *worker, struct slot *slot); // from here on nothing is read
// From here on any protocol; hellos and requests in it are judged.
void talk_inspect(struct worker *worker, struct slot *slot);
// The client's bytes that are still to be read, those that have passed included.
const uint8_t *talk_unread(const struct slot *slot, size_t *ret_length);
bool talk_refuse(struct worker *worker, struct slot *slot, const char *why, enum fix fix);

// explicit.c: to the explicit proxy
bool explicit_first(struct worker *worker, struct slot *slot);
bool explicit_greeting(struct worker *worker, struct slot *slot);
bool explicit_socks(struct worker *worker, struct slot *slot);
bool explicit_dial(struct worker *worker, struct slot *slot);

// inspect.c: what passes in a tunnel to a name. hello.c: TLS, until nothing of it is readable.
bool inspect_run(struct worker *worker, struct slot *slot);
bool hello_run(struct worker *worker, struct slot *slot);
bool hello_run_answer(struct worker *worker, struct slot *slot);
bool exchange_request(struct worker *worker, struct slot *slot);
bool exchange_run(struct worker *worker, struct slot *slot);
void deny_begin(struct worker *worker, struct slot *slot, const char *why); // by the first bytes
void deny_http(struct worker *worker, struct slot *slot, int status);
void deny_socks(struct worker *worker, struct slot *slot, int reply);
bool deny_run(struct worker *worker, struct slot *slot);
bool deny_drain(struct worker *worker, struct slot *slot);
// The server could not be reached.
void deny_failed(struct worker *worker, struct slot *slot);

// dial.c
void dial_begin(struct worker *worker, struct slot *slot);
void dial_direct(struct worker *worker, struct slot *slot, const struct address *address);
void dial_resolved(struct worker *worker, struct slot *slot);
void dial_event(struct worker *worker, struct slot *slot, unsigned attempt);
void dial_expired(struct worker *worker, struct slot *slot);
void dial_keep_alive(const struct slot *slot);
bool dial_asked(struct worker *worker, struct slot *slot); // reads the upstream proxy's answer

// lookup.c
int lookup_begin(struct worker *worker); // before the lock
struct lookup *lookup_get(struct worker *worker, const char *name);
// Hands what a lookup found, or did not, to the connection that waits for it.
void lookup_take(struct worker *worker, struct slot *slot);
void lookup_files(struct worker *worker, const bool changed[2], int fds[2]);
void lookup_event(struct worker *worker, int fd, uint32_t events);
int lookup_timeout(struct worker *worker, int limit);

// respond.c: DNS
void respond_datagrams(struct worker *worker, int fd);
bool respond_stream(struct worker *worker, struct slot *slot);

// record.c
// `slot` is whose it is, or NULL.
int record_add(struct worker *worker, struct slot *slot, const struct record *like);
int record_slot(struct worker *worker, struct slot *slot, enum verdict verdict, const char *rule,
		const char *why, enum fix fix);
void record_bytes(struct worker *worker, struct slot *slot, enum side from, uint64_t bytes);
// The address that was dialled: noted, and a name counts for the budgets of its address as well.
void record_address(struct worker *worker, struct slot *slot, const struct address *address);
bool record_over_budget(struct worker *worker, struct slot *slot, const char **ret_text);
bool record_must_wait(struct worker *worker, const struct slot *slot);
void record_flush(struct worker *worker);

// worker.c
void worker_take_order(struct worker *worker);

// worker.c: never returns.
struct worker_start {
	struct shared *shared;
	bool first, relayed;
	int control;
	const int *listeners, *published;
	unsigned listener_count, published_count;
	const struct egress *egress;
	const char *upstream, *no_proxy;
};
_Noreturn void worker_main(const struct worker_start *start);
