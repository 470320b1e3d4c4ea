// What a worker of the proxy holds. All its input is hostile.
#pragma once

#include <ares.h>
#include <sys/socket.h>

#include "net/parse/parse.h"
#include "net/proxy/conn.h"
#include "net/proxy/lookup.h"
#include "net/setup/netns.h"

enum {
	CONNS_MAX = 18000,
	// Buffer size of a connection when LARGE_MAX others have larger ones.
	SMALL_BYTES = 4096,
	LARGE_MAX = 2048,
	BULK_BYTES = 256 * 1024, // for a stream that fills its buffer
	BULK_MAX = 64,
	LOOKUPS_MAX = 256,
	QUESTIONS_MAX = 128,
	NOBODY_MAX = 32,
	KNOWN_MAX = 512,
	PARKED_MAX = 64,
	SYN_PLACES_BITS = 14,
	PUBLISH_SOCKETS = 32,
	AUTHORIZATION_MAX = EGRESS_URL_MAX / 3 * 4 + 64,
	TABLE_MAX = 1024 * 1024,
	RESOLV_MAX = 64 * 1024,
};

struct worker {
	struct shared *shared;
	int epoll, control;
	int opener; // socket to the opener, or -1
	int spare;  // a descriptor to close when none is free (accept.c)
	bool watches_nobody;
	bool blind;         // some descriptors have no epoll watch
	bool relayed;       // tier landlock: the listener is on the host's loopback
	bool rules_changed; // connections must be judged again
	int listeners[LISTENERS_MAX];
	uint16_t loopback_ports[NETNS_LOOPBACK_MAX];
	unsigned listener_count;
	int published[2 * NETNS_LOOPBACK_MAX];
	uint16_t published_inside[NETNS_LOOPBACK_MAX];
	int sockets[PUBLISH_SOCKETS];
	unsigned socket_count;
	int64_t sockets_asked;

	struct conn *conns;
	char (*buffers)[BUFFER_SIZE]; // two for each connection
	char (*bulk)[BULK_BYTES];     // lent to one side of a connection
	uint64_t bulk_lent;           // a bit for each of `bulk`
	bool bulk_written;            // some memory of `bulk` is in use
	uint32_t generation;          // of the newest connection
	// Memory of each connection and its buffers. `used`: since the last sweep.
	struct held_bytes {
		enum { HELD_NOTHING, HELD_SMALL, HELD_LARGE } held;
		bool used;
	} held[CONNS_MAX];
	unsigned held_count, large_count;
	int64_t next_sweep;
	uint32_t used;
	uint32_t syns[1 << SYN_PLACES_BITS]; // by hash: 1 + index of the first connection, or 0
	uint32_t free[CONNS_MAX], free_count, live;
	// A connection is queued once, and again during its turn.
	uint32_t queue[2 * CONNS_MAX], queue_count;
	uint32_t ended[CONNS_MAX], ended_count;
	unsigned deadlines;
	int64_t now; // CLOCK_MONOTONIC, milliseconds
	int64_t next_flush, next_timers;
	int64_t end; // when to exit; 0: not yet

	int routes; // socket of local_open()
	ares_channel channel;
	struct resolv resolv;
	char nobody[NOBODY_MAX];
	int64_t files_checked;
	bool files_asked;
	struct lookup lookups[LOOKUPS_MAX];
	bool lookup_wanted, lookup_freed;
	unsigned lookups_pending;
	struct waiting {
		int64_t since; // 0: a free entry
		size_t length;
		uint8_t message[DNS_ANSWER_MAX];
		struct sockaddr_storage from;
		socklen_t from_size;
		_Alignas(struct cmsghdr) char control[128];
		size_t control_size;
	} questions[QUESTIONS_MAX];
	unsigned question_count;
	bool questions_due;
	char table[TABLE_MAX]; // the host's /etc/hosts; `hosts` are its names
	size_t table_length;
	struct hosts_entry hosts[TABLE_MAX / 2];
	unsigned host_count;

	bool has_upstream, behind_box;
	struct host upstream;
	uint16_t upstream_port;
	char authorization[AUTHORIZATION_MAX + 1];
	char no_proxy[EGRESS_NO_PROXY_MAX + 1];

	struct worker_event unsent;
	uint64_t known[KNOWN_MAX];
	unsigned known_count;
	struct parked {
		uint64_t token;
		unsigned held; // 0: a free entry
		int fd;
	} parked[PARKED_MAX];
	bool any_paused;
};

static inline uint32_t conn_index(const struct worker *worker, const struct conn *conn)
{
	return (uint32_t)(conn - worker->conns);
}
