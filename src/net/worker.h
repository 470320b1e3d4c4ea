// The inside of a worker: slots, flows, and who does what with them. See proxy.h for the outside.
// A worker owns nothing but sockets. Everything it reads is hostile; nothing is allocated per
// connection.
#pragma once

#include <ares.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/control.h"
#include "net/hosts.h"
#include "net/http.h"
#include "net/link.h"
#include "net/proxy.h"

enum {
	SLOTS_MOST = 9000,
	SLOTS_SCARCE = 4000, // then another worker is asked for
	BUFFER_SIZE = HTTP_HEAD_MOST,
	PIPES_MOST = 64,
	PIPE_BYTES = 256 * 1024,
	ADDRESSES_MOST = 8,
	LOOKUPS_MOST = 256,
	RECORDS_MOST = 512,
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
	TALK_SNIFF,    // what does the client speak? The server may speak meanwhile
	TALK_HELLO,    // TLS: until the name is known
	TALK_REQUEST,  // HTTP: the head of a request
	TALK_EXCHANGE, // HTTP: its body, and the response
	TALK_TUNNEL,   // bytes, both ways
	TALK_DENY,     // a denial, in the client's own language
	TALK_DRAIN,    // what is left is written, then the end
	TALK_DNS,      // over TCP
};

enum dialing { DIAL_NONE, DIAL_LOOKUP, DIAL_CONNECT, DIAL_ASK, DIAL_OPEN };

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
	uint32_t generation;
	int fd[2];
	bool readable[2], writable[2], closing[2], awaits_room[2]; // as epoll said last
	bool queued, explicit_proxy, socks, paused, reading_head;
	struct flow flow[2];
	int64_t deadline; // milliseconds; 0: none

	struct host host; // where it leads
	uint16_t port, source;
	int record;       // of worker->records, or -1
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

	// sniff: bytes of the first line that have passed already, still in the buffer before
	// `start`
	uint32_t passed;
	bool passing;

	// HTTP
	bool asks_head, upgrade, keep_alive, request_done, response_done, response_head;
	enum http_body request_body, response_body;
	enum http_chunk request_chunk, response_chunk;

	char buffer[2][BUFFER_SIZE];
};

struct worker {
	struct shared *shared;
	int epoll, control;
	int spare;    // a descriptor to turn somebody away with
	bool first;   // answers DNS
	bool relayed; // tier landlock: connections come from the host's loopback
	bool full;    // asked for another worker
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
	uint32_t used; // slots that were ever used
	uint32_t free[SLOTS_MOST], free_count, live;
	// Each slot once, and once more while its turn lasts.
	uint32_t queue[2 * SLOTS_MOST], queue_count;
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
	bool has_upstream;
	struct host upstream;
	uint16_t upstream_port;
	char authorization[512]; // a header line, or empty
	char no_proxy[2048];

	struct record records[RECORDS_MOST];
	bool dirty[RECORDS_MOST];
	bool any_dirty;
	unsigned record_count, unseen;
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
void slot_close(struct worker *worker, struct slot *slot);
void slot_reset(struct worker *worker, struct slot *slot); // with RST to both sides
void slot_close_server(struct worker *worker, struct slot *slot);
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
bool flow_move(struct worker *worker, struct slot *slot, enum side from);
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
bool exchange_request(struct worker *worker, struct slot *slot);
bool exchange_run(struct worker *worker, struct slot *slot);
void deny_begin(struct worker *worker, struct slot *slot, const char *why); // by the first bytes
void deny_http(struct worker *worker, struct slot *slot, int status);
void deny_socks(struct worker *worker, struct slot *slot, int reply);
bool deny_run(struct worker *worker, struct slot *slot);
bool deny_drain(struct worker *worker, struct slot *slot);
void deny_failed(struct worker *worker, struct slot *slot); // the server could not be reached

// dial.c
void dial_begin(struct worker *worker, struct slot *slot);
void dial_direct(struct worker *worker, struct slot *slot, const struct address *address);
void dial_resolved(struct worker *worker, struct slot *slot);
void dial_event(struct worker *worker, struct slot *slot, unsigned attempt);
void dial_stop(struct worker *worker, struct slot *slot);
void dial_expired(struct worker *worker, struct slot *slot);
void dial_keep_alive(const struct slot *slot);
bool dial_asked(struct worker *worker, struct slot *slot); // reads the upstream proxy's answer

// lookup.c
int lookup_begin(struct worker *worker); // before the lock
struct lookup *lookup_get(struct worker *worker, const char *name);
void lookup_files(struct worker *worker, const bool changed[2], int fds[2]);
void lookup_event(struct worker *worker, int fd, uint32_t events);
int lookup_timeout(struct worker *worker, int limit);

// respond.c: DNS
void respond_datagrams(struct worker *worker, int fd);
bool respond_stream(struct worker *worker, struct slot *slot);

// record.c
int record_add(struct worker *worker, const struct record *like);
int record_slot(struct worker *worker, const struct slot *slot, enum verdict verdict,
		const char *rule, const char *why, bool by_rule);
void record_bytes(struct worker *worker, struct slot *slot, enum side from, uint64_t bytes);
// The address that was dialled: noted, and a name counts for the budgets of its address as well.
void record_address(struct worker *worker, struct slot *slot, const struct address *address);
bool record_over_budget(struct worker *worker, struct slot *slot, const char **ret_text);
bool record_must_wait(struct worker *worker, const struct slot *slot);
void record_flush(struct worker *worker);

// worker.c
void worker_take_order(struct worker *worker);
