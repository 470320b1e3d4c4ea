// Owns the way to the server: addresses judged, then dialled one after the other with a head start
// each (RFC 8305). The address that was judged is the address that is dialled. Rule 9.
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "net/rules/local_address.h"
#include "net/parse/sockaddr.h"
#include "net/rules/rules.h"
#include "net/proxy/worker.h"

enum { HEAD_START_MILLISECONDS = 250, DIAL_MILLISECONDS = 10000 };

static void fail_dial(struct worker *worker, struct slot *slot)
{
	slot_close_server(slot);
	slot->dialing = DIAL_FAILED;
	slot_wake(worker, slot);
}

static void say_problem(struct slot *slot, const struct address *address, int problem)
{
	char text[ADDRESS_TEXT_MOST];
	address_text(address, text);
	snprintf(slot->problem, sizeof(slot->problem), "%s: %s", text, strerror(problem));
}

// Of tunnels that last: a server that vanished is noticed.
void dial_keep_alive(const struct slot *slot)
{
	int on = 1, idle = 60, interval = 20, count = 3, fd = slot->fd[SERVER];
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

static void ask_upstream(const struct worker *worker, struct slot *slot)
{
	char text[2048], host[HOST_NAME_MOST + 1];
	host_text(&slot->host, host);
	bool bracket = strchr(host, ':') != NULL;
	int length = snprintf(
		text, sizeof(text), "CONNECT %s%s%s:%u HTTP/1.1\r\nHost: %s%s%s:%u\r\n%s\r\n",
		bracket ? "[" : "", host, bracket ? "]" : "", slot->port, bracket ? "[" : "", host,
		bracket ? "]" : "", slot->port, worker->authorization);
	// Into an empty socket: it fits.
	if (send(slot->fd[SERVER], text, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) == length)
		slot->dialing = DIAL_ASK;
}

static void connected(struct worker *worker, struct slot *slot, int fd,
		      const struct address *address, enum watched watched)
{
	int on = 1;
	record_address(worker, slot, address);
	slot_stop_dialing(slot);
	slot->fd[SERVER] = fd;
	slot->dialing = DIAL_OPEN;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	slot_watch(worker, slot, SERVER, watched);
	if (slot->by_proxy) {
		ask_upstream(worker, slot);
		slot_deadline(worker, slot, DIAL_MILLISECONDS);
	} else {
		slot->opened = true;
	}
	slot_wake(worker, slot);
}

// Starts the next address in the free one of two places. False when none is left.
static bool try_next(struct worker *worker, struct slot *slot)
{
	unsigned place = slot->attempt[0] >= 0;
	while (slot->address_next < slot->address_count) {
		const struct address *address = &slot->addresses[slot->address_next++];
		struct sockaddr_storage to;
		socklen_t size = sockaddr_fill(address, slot->dial_port, &to);
		autoclose int fd =
			socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		int result = fd < 0 ? -1 : connect(fd, (const struct sockaddr *)&to, size);
		if (result == 0) {
			connected(worker, slot, take(&fd), address, WATCHED_NOT);
			return true;
		}
		if (errno != EINPROGRESS) {
			say_problem(slot, address, errno);
			continue;
		}
		struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
		event.data.u64 = slot_tag(place ? TAG_ATTEMPT_1 : TAG_ATTEMPT_0,
					  slot_index(worker, slot), slot->generation);
		epoll_ctl(worker->epoll, EPOLL_CTL_ADD, fd, &event);
		slot->attempt[place] = take(&fd);
		slot->dialing = DIAL_CONNECT;
		bool more = slot->address_next < slot->address_count;
		slot_deadline(worker, slot, more ? HEAD_START_MILLISECONDS : DIAL_MILLISECONDS);
		return true;
	}
	return slot->attempt[0] >= 0 || slot->attempt[1] >= 0;
}

static void start(struct worker *worker, struct slot *slot)
{
	slot->dialing = DIAL_CONNECT;
	slot->address_next = 0;
	if (slot->address_count == 0 || !try_next(worker, slot))
		fail_dial(worker, slot);
}

// IPv6 and IPv4 in turn, the first kind first.
static void interleave(struct slot *slot, const struct address *addresses, unsigned count)
{
	bool used[ADDRESSES_MOST] = { false };
	bool v4 = count > 0 && address_is_v4(&addresses[0]);
	slot->address_count = 0;
	for (unsigned done = 0; done < count; done++, v4 = !v4) {
		unsigned pick = count;
		for (unsigned i = 0; i < count && pick == count; i++)
			if (!used[i] && address_is_v4(&addresses[i]) == v4)
				pick = i;
		for (unsigned i = 0; i < count && pick == count; i++)
			if (!used[i])
				pick = i;
		used[pick] = true;
		slot->addresses[slot->address_count++] = addresses[pick];
	}
}

// Whether a name may lead there; else the slot's problem says why not.
static bool may_lead(const struct worker *worker, struct slot *slot, const struct address *address)
{
	static const char *const own_words[] = {
		[OWN_HOST] = "this host itself: --loopback PORT, or name that address",
		[OWN_UNKNOWN] = "and the kernel does not say whether that is this host itself",
	};
	const struct rules *rules = rules_current(worker->shared);
	const struct rule *deny = rules_deny_address(rules, address, slot->port);
	enum reach reach = address_reach(address);
	enum own own = OWN_NOT;
	char text[ADDRESS_TEXT_MOST];
	const char *why;
	if (deny) {
		snprintf(slot->problem, sizeof(slot->problem),
			 "its name leads to a denied address (%.60s)", deny->text);
		return false;
	}
	if (reach == REACH_NEVER)
		why = "which no name may lead to";
	else if ((own = own_ask(worker->routes, address)) != OWN_NOT)
		why = own_words[own];
	else if (reach == REACH_PRIVATE && !rules->private)
		why = "a private address: --private-network yes";
	else
		return true;
	address_text(address, text);
	snprintf(slot->problem, sizeof(slot->problem), "its name leads to %s, %s", text, why);
	return false;
}

void dial_resolved(struct worker *worker, struct slot *slot)
{
	struct address kept[ADDRESSES_MOST];
	unsigned count = 0;
	snprintf(slot->problem, sizeof(slot->problem), "%s", "the name does not resolve");
	// The caller's own proxy may stand anywhere, even on this host.
	for (unsigned i = 0; i < slot->address_count; i++)
		if (slot->by_proxy || may_lead(worker, slot, &slot->addresses[i]))
			kept[count++] = slot->addresses[i];
	interleave(slot, kept, count);
	start(worker, slot);
}

static bool is_excepted(const struct worker *worker, const struct slot *slot)
{
	for (const char *at = worker->no_proxy; *at;) {
		size_t length = strcspn(at, ", ");
		struct destination destination;
		struct host host;
		uint16_t port = 0;
		char word[HOST_NAME_MOST + 1];
		const char *next = at + length + (at[length] != '\0');
		if (length == 1 && *at == '*')
			return true;
		size_t dot =
			length > 2 && at[0] == '*' && at[1] == '.' ? 2 : length > 1 && at[0] == '.';
		if (length < sizeof(word)) {
			memcpy(word, at, length);
			word[length] = '\0';
			bool network = strchr(word, '/') && destination_parse(word, &destination);
			if (network && destination_matches(&destination, &slot->host, slot->port))
				return true;
			if (!network && host_parse_port(at + dot, length - dot, &host, &port) &&
			    (!port || port == slot->port) &&
			    (host.kind == HOST_NAME && slot->host.kind == HOST_NAME
				     ? host_within(slot->host.name, host.name)
				     : host_equal(&host, &slot->host)))
				return true;
		}
		at = next;
	}
	return false;
}

void dial_begin(struct worker *worker, struct slot *slot)
{
	slot->by_proxy = worker->has_upstream && !is_excepted(worker, slot);
	const struct host *target = slot->by_proxy ? &worker->upstream : &slot->host;
	slot->dial_port = slot->by_proxy ? worker->upstream_port : slot->port;
	if (target->kind == HOST_ADDRESS) {
		slot->addresses[0] = target->address;
		slot->address_count = 1;
		start(worker, slot);
		return;
	}
	slot->dialing = DIAL_LOOKUP;
	slot_deadline(worker, slot, DIAL_MILLISECONDS);
	slot->lookup = lookup_get(worker, target->name);
	if (!slot->lookup) {
		snprintf(slot->problem, sizeof(slot->problem), "%s", "too many names at once");
		fail_dial(worker, slot);
	} else if (slot->lookup->state == LOOKUP_KNOWN || slot->lookup->state == LOOKUP_FAILED) {
		lookup_take(worker, slot);
	}
}

void dial_direct(struct worker *worker, struct slot *slot, const struct address *address)
{
	slot->addresses[0] = *address;
	slot->address_count = 1;
	slot->dial_port = slot->port;
	start(worker, slot);
}

void dial_event(struct worker *worker, struct slot *slot, unsigned attempt)
{
	int problem = 0, fd = slot->attempt[attempt];
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);
	if (fd < 0)
		return;
	if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0) {
		struct address address;
		uint16_t port;
		sockaddr_read(&peer, &address, &port);
		slot->attempt[attempt] = -1;
		connected(worker, slot, fd, &address, WATCHED_ALREADY);
		return;
	}
	size = sizeof(problem);
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) < 0 || problem == 0)
		return; // an event from before
	snprintf(slot->problem, sizeof(slot->problem), "%s", strerror(problem));
	fd_close(&slot->attempt[attempt]);
	if (!try_next(worker, slot))
		fail_dial(worker, slot);
}

void dial_expired(struct worker *worker, struct slot *slot)
{
	bool place = slot->attempt[0] < 0 || slot->attempt[1] < 0;
	if (slot->dialing == DIAL_CONNECT && slot->address_next < slot->address_count && place) {
		if (!try_next(worker, slot))
			fail_dial(worker, slot);
		return;
	}
	snprintf(slot->problem, sizeof(slot->problem), "%s",
		 slot->dialing == DIAL_LOOKUP ? "no answer from the name servers"
		 : slot->dialing == DIAL_ASK  ? "no answer from the upstream proxy"
					      : "no answer in 10 s");
	fail_dial(worker, slot);
}

bool dial_asked(struct worker *worker, struct slot *slot)
{
	char head[4096];
	struct http_response response;
	if (!slot->readable[SERVER])
		return false;
	ssize_t got = recv(slot->fd[SERVER], head, sizeof(head), MSG_PEEK | MSG_DONTWAIT);
	if (got < 0 && errno == EAGAIN) {
		slot->readable[SERVER] = false;
		return false;
	}
	enum parse result = got > 0 ? http_response(head, (size_t)got, true, &response) : PARSE_BAD;
	if (result == PARSE_MORE && got < (ssize_t)sizeof(head)) {
		slot->readable[SERVER] = false;
		return false;
	}
	if (result != PARSE_DONE || response.status / 100 != 2) {
		snprintf(slot->problem, sizeof(slot->problem), "%s %s",
			 worker->behind_box ? "the box around this one" : "the upstream proxy",
			 result != PARSE_DONE     ? "is no HTTP proxy"
			 : !worker->behind_box    ? "refused it"
			 : response.status == 403 ? "refuses it; that one's --allow-domain opens it"
						  : "could not reach it");
		fail_dial(worker, slot);
		return false;
	}
	recv(slot->fd[SERVER], head, response.head, MSG_DONTWAIT);
	slot->dialing = DIAL_OPEN;
	slot->opened = true;
	return true;
}
