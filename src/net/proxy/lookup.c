// Owns the resolution of names by c-ares, and its cache. c-ares opens no file: the supervisor sends
// descriptors of hosts(5) and resolv.conf(5).
#include "net/proxy/lookup.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "net/proxy/worker_state.h"
#include "net/rules/rules.h"

enum {
	QUERY_MILLISECONDS = 1500,
	TRIES = 2,
	LIFE_MAX = 60,
	FAILED_MILLISECONDS = 2000,
	FRESH_MILLISECONDS = 1000,
};

static void socket_state(void *data, ares_socket_t fd, int readable, int writable)
{
	struct worker *worker = data;
	struct epoll_event event = { .data.u64 = conn_tag(TAG_ARES, (uint32_t)fd, 0) };
	event.events = (readable ? EPOLLIN : 0U) | (writable ? EPOLLOUT : 0U);
	if (!event.events)
		epoll_ctl(worker->epoll, EPOLL_CTL_DEL, fd, NULL);
	else if (epoll_ctl(worker->epoll, EPOLL_CTL_MOD, fd, &event) < 0 &&
		 (errno != ENOENT || epoll_ctl(worker->epoll, EPOLL_CTL_ADD, fd, &event) < 0))
		worker->blind = true;
}

void lookup_look(struct worker *worker)
{
	ares_socket_t sockets[ARES_GETSOCK_MAXNUM];
	unsigned open = (unsigned)ares_getsock(worker->channel, sockets, ARES_GETSOCK_MAXNUM);
	worker->blind = worker->blind || open;
	for (int i = 0; i < ARES_GETSOCK_MAXNUM; i++)
		if (ARES_GETSOCK_READABLE(open, i))
			ares_process_fd(worker->channel, sockets[i], sockets[i]);
}

int lookup_begin(struct worker *worker)
{
	static char files_only_dns[] = "b";
	struct ares_options options = { .flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES,
					.timeout = QUERY_MILLISECONDS,
					.tries = TRIES,
					.lookups = files_only_dns,
					.sock_state_cb = socket_state,
					.sock_state_cb_data = worker };
	unsigned random[2];
	if (getrandom(random, sizeof(random), 0) < 0)
		return -1;
	snprintf(worker->nobody, sizeof(worker->nobody), "%08x%08x.invalid", random[0], random[1]);
	// Runs before confine(): c-ares opens its source of random bytes. ARES_OPT_DOMAINS empties
	// the list of domains, which ares_getaddrinfo() would search despite ARES_FLAG_NOSEARCH.
	return ares_init_options(&worker->channel, &options,
				 ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
					 ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB |
					 ARES_OPT_DOMAINS) == ARES_SUCCESS
		       ? 0
		       : -1;
}

static void use_resolv(struct worker *worker, const char *text, size_t length)
{
	char servers[RESOLV_SERVERS_MAX * (ADDRESS_TEXT_MAX + 4)] = "";
	resolv_parse(text, length, &worker->resolv);
	for (unsigned i = 0; i < worker->resolv.server_count; i++) {
		char server[ADDRESS_TEXT_MAX];
		address_text(&worker->resolv.servers[i], server);
		size_t used = strlen(servers);
		snprintf(servers + used, sizeof(servers) - used,
			 strchr(server, ':') ? "%s[%s]" : "%s%s", i ? "," : "", server);
	}
	ares_set_servers_csv(worker->channel, servers);
	// Other name servers may mean another network: cached answers are outdated.
	for (unsigned i = 0; i < LOOKUPS_MAX; i++)
		if (lookup_done(&worker->lookups[i]))
			worker->lookups[i].until = 0;
}

static size_t read_table(int fd, char *table, size_t size)
{
	size_t used = 0;
	for (ssize_t got = 1; got > 0 && used < size; used += got > 0 ? (size_t)got : 0)
		got = pread(fd, table + used, size - used, (off_t)used);
	return used;
}

static void finish(struct worker *worker, struct lookup *lookup, int64_t life)
{
	lookup->state = lookup->count ? LOOKUP_KNOWN : LOOKUP_FAILED;
	lookup->until = worker->now + life;
	worker->lookup_freed = worker->questions_due = true;
	worker->lookups_pending--;
	for (uint32_t i = 0; i < worker->used; i++) {
		struct conn *conn = &worker->conns[i];
		if (conn->dialing == DIAL_LOOKUP && conn->lookup == lookup)
			lookup_take(worker, conn);
	}
}

// Copies the addresses: another name may take the entry before the connection's turn.
void lookup_take(struct worker *worker, struct conn *conn)
{
	memcpy(conn->addresses, conn->lookup->addresses, sizeof(conn->addresses));
	conn->address_count = conn->lookup->count;
	conn->existence = conn->lookup->existence;
	conn->lookup = NULL;
	conn->dialing = DIAL_RESOLVED;
	conn_wake(worker, conn);
}

static unsigned domains_of(const struct worker *worker, const struct lookup *lookup)
{
	return lookup->absolute || !resolv_is_short(&worker->resolv, lookup->name)
		       ? 0
		       : worker->resolv.search_count;
}

static void query(struct worker *worker, struct lookup *lookup);

static void answered(void *data, int status, int timeouts, struct ares_addrinfo *result)
{
	struct lookup *lookup = data;
	struct worker *worker = lookup->worker;
	int life = LIFE_MAX;
	(void)timeouts;
	lookup->count = 0;
	for (struct ares_addrinfo_node *node = result ? result->nodes : NULL; node;
	     node = node->ai_next) {
		if (lookup->count == ADDRESSES_MAX)
			break;
		struct address *address = &lookup->addresses[lookup->count];
		memset(address, 0, sizeof(*address));
		if (node->ai_family == AF_INET) {
			address->bytes[10] = address->bytes[11] = 0xff;
			memcpy(address->bytes + 12,
			       &((struct sockaddr_in *)(void *)node->ai_addr)->sin_addr, 4);
		} else if (node->ai_family == AF_INET6) {
			memcpy(address->bytes,
			       &((struct sockaddr_in6 *)(void *)node->ai_addr)->sin6_addr, 16);
		} else {
			continue;
		}
		lookup->count++;
		life = node->ai_ttl < life ? node->ai_ttl : life;
	}
	if (result)
		ares_freeaddrinfo(result);
	if (status == ARES_EDESTRUCTION)
		return;
	if (status == ARES_ENODATA && lookup->existence == NAME_MISSING)
		lookup->existence = NAME_EMPTY;
	else if (status != ARES_ENODATA && status != ARES_ENOTFOUND)
		lookup->existence = NAME_EXISTS;
	// Continues with the next search domain after a negative answer, not after a time-out.
	bool answer =
		status == ARES_ENODATA || status == ARES_ENOTFOUND || status == ARES_ESERVFAIL;
	if (lookup->count == 0 && answer && lookup->asked <= domains_of(worker, lookup))
		query(worker, lookup);
	else
		finish(worker, lookup, lookup->count ? (int64_t)life * 1000 : FAILED_MILLISECONDS);
}

// Asks for a short name with each search domain, then as it is. The search list may have changed
// since the name was allowed: a denied name ends the search.
static void query(struct worker *worker, struct lookup *lookup)
{
	char name[HOST_NAME_BYTES_MAX + 1];
	struct ares_addrinfo_hints hints = { .ai_flags = ARES_AI_NOSORT,
					     .ai_family = AF_UNSPEC,
					     .ai_socktype = SOCK_STREAM };
	unsigned domain = lookup->asked++;
	bool own = worker->has_upstream && str_equal(lookup->name, worker->upstream.name);
	domain = domain == domains_of(worker, lookup) ? 0 : domain + 1;
	lookup->state = LOOKUP_ASKED;
	lookup->worker = worker;
	bool fits = resolv_name(&worker->resolv, lookup->name, domain, name);
	if (fits && !own && rules_deny_name(rules_current(worker->shared), name))
		finish(worker, lookup, FAILED_MILLISECONDS);
	else if (fits)
		ares_getaddrinfo(worker->channel, name, NULL, &hints, answered, lookup);
	else
		answered(lookup, ARES_ENOTFOUND, 0, NULL);
}

static void begin(struct worker *worker, struct lookup *lookup)
{
	lookup->existence = NAME_MISSING;
	lookup->count =
		hosts_find(worker->table, worker->table_length, worker->hosts, worker->host_count,
			   lookup->name, lookup->addresses, ADDRESSES_MAX);
	if (lookup->count)
		finish(worker, lookup, FRESH_MILLISECONDS);
	else
		query(worker, lookup);
}

static struct lookup *take_lookup(struct worker *worker)
{
	struct lookup *oldest = NULL;
	for (unsigned i = 0; i < LOOKUPS_MAX; i++) {
		struct lookup *lookup = &worker->lookups[i];
		if (lookup->state == LOOKUP_FREE)
			return lookup;
		if (lookup_done(lookup) && (!oldest || lookup->until < oldest->until))
			oldest = lookup;
	}
	return oldest;
}

struct lookup *lookup_get(struct worker *worker, const char *name, bool absolute)
{
	struct lookup *lookup = NULL;
	for (unsigned i = 0; i < LOOKUPS_MAX && !lookup; i++)
		if (worker->lookups[i].state != LOOKUP_FREE &&
		    worker->lookups[i].absolute == absolute &&
		    str_equal(worker->lookups[i].name, name))
			lookup = &worker->lookups[i];
	if (lookup && (!lookup_done(lookup) || lookup->until > worker->now))
		return lookup;
	lookup = lookup ? lookup : take_lookup(worker);
	if (!lookup)
		return NULL;
	lookup->state = LOOKUP_FILES;
	lookup->count = lookup->asked = 0;
	lookup->absolute = absolute;
	lookup->noted = false;
	worker->lookups_pending++;
	memcpy(lookup->name, name, strlen(name) + 1);
	if (worker->now - worker->files_checked < FRESH_MILLISECONDS) {
		begin(worker, lookup);
	} else if (!worker->files_asked) {
		struct worker_event report = { .kind = EVENT_FILES };
		worker->files_asked =
			fd_send(worker->control, &report, event_size(&report), NULL, 0) == 0;
	}
	return lookup;
}

void lookup_files(struct worker *worker, const bool changed[2], int fds[2])
{
	int next = 0;
	if (changed[0]) {
		worker->table_length = read_table(fds[next], worker->table, TABLE_MAX);
		worker->host_count = hosts_read(worker->table, worker->table_length, worker->hosts,
						TABLE_MAX / 2);
		fd_close(&fds[next++]);
	}
	if (changed[1]) {
		char text[RESOLV_MAX];
		size_t length = read_table(fds[next], text, sizeof(text));
		fd_close(&fds[next]);
		use_resolv(worker, text, length);
	}
	worker->files_asked = false;
	worker->files_checked = worker->now;
	for (unsigned i = 0; i < LOOKUPS_MAX; i++)
		if (worker->lookups[i].state == LOOKUP_FILES)
			begin(worker, &worker->lookups[i]);
}

void lookup_event(struct worker *worker, int fd, uint32_t events)
{
	bool in = events & (EPOLLIN | EPOLLERR | EPOLLHUP), out = events & EPOLLOUT;
	ares_process_fd(worker->channel, in ? fd : ARES_SOCKET_BAD, out ? fd : ARES_SOCKET_BAD);
}

int lookup_timeout(struct worker *worker, int limit)
{
	struct timeval most = { limit / 1000, limit % 1000 * 1000 }, space;
	const struct timeval *left =
		ares_timeout(worker->channel, limit < 0 ? NULL : &most, &space);
	if (!left)
		return limit;
	return (int)(left->tv_sec * 1000 + (left->tv_usec + 999) / 1000);
}
