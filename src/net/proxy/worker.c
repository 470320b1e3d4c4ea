// Owns the loop of a worker: events, then connections with work left, then deadlines.

#include "net/proxy/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "net/proxy/accept.h"
#include "net/proxy/client.h"
#include "net/proxy/dial.h"
#include "net/proxy/dns_server.h"
#include "net/proxy/flow.h"
#include "net/proxy/lookup.h"
#include "net/proxy/conn_record.h"
#include "net/proxy/route.h"
#include "net/proxy/syn.h"
#include "net/proxy/worker_state.h"
#include "net/rules/local_address.h"
#include "net/rules/rules.h"
#include "net/setup/netns.h"
#include "plan.h"
#include "text/sha.h"

enum { EVENTS_A_TURN = 256, TICK_MILLISECONDS = 50, LAST_MILLISECONDS = 50 };

static void judge_again(struct worker *worker)
{
	const struct rules *rules = rules_current(worker->shared);
	unsigned generation = atomic_load(&worker->shared->generation);
	for (uint32_t i = 0; i < worker->used; i++) {
		struct conn *conn = conn_at(worker, i);
		struct refusal refusal;
		if (conn && conn->dialing == DIAL_HELD)
			route_judge(worker, conn);
		if (!conn || conn->dialing == DIAL_NONE || !conn->recorded || !conn->rule.text[0])
			continue;
		struct host host = conn->host;
		bool allowed = rules_decide(rules, &worker->resolv, &host, conn->port,
					    worker->routes, NULL, &refusal);
		// The search list may have changed: also judges the name as it was typed.
		if (allowed && host.kind == HOST_NAME) {
			memcpy(host.name, conn->called, sizeof(host.name));
			allowed = rules_decide(rules, &worker->resolv, &host, conn->port,
					       worker->routes, NULL, &refusal);
		}
		allowed = allowed || (conn->once && refusal.unlisted);
		const struct rule *deny = refusal.deny;
		if (allowed && conn->record.dialled && !conn->by_proxy)
			deny = rules_deny_address(rules, &conn->record.address, conn->port);
		if (allowed && !deny)
			continue;
		record_conn(worker, conn, VERDICT_DENIED, deny ? deny->text : "",
			    "denied while it was open", FIX_NONE);
		conn_end(worker, conn, TURN_RESET);
	}
	atomic_store(&worker->shared->taken, generation);
}

static void take_door(struct worker *worker, const struct worker_command *order, const int *fds)
{
	int *sockets = worker->published + 2 * order->place;
	for (int i = 0; i < 2; i++) {
		if (sockets[i] >= 0)
			epoll_ctl(worker->epoll, EPOLL_CTL_DEL, sockets[i], NULL);
		fd_close(&sockets[i]);
		sockets[i] = fds[i];
	}
	worker->blind = true;
	worker->published_inside[order->place] = order->port;
}

static bool take_order(struct worker *worker)
{
	struct worker_command order;
	int fds[FD_PASSED];
	ssize_t got = fd_receive_now(worker->control, &order, sizeof(order), fds);
	if (got < 0 && errno == EAGAIN)
		return false;
	if (got != (ssize_t)sizeof(order))
		_exit(0);
	switch (order.kind) {
	case COMMAND_FILES:
		lookup_files(worker, order.changed, fds);
		break;
	case COMMAND_RULES:
		// The loop judges connections later: this function's caller may be at work on one.
		worker->rules_changed = true;
		break;
	case COMMAND_SOCKETS:
		accept_take_sockets(worker, fds);
		break;
	case COMMAND_DOOR:
		take_door(worker, &order, fds);
		break;
	case COMMAND_SEEN:
		conn_seen(worker, order.token);
		break;
	case COMMAND_ANSWER:
		route_answered(worker, &order);
		break;
	case COMMAND_END:
		worker->end = worker->now + LAST_MILLISECONDS;
		return false;
	}
	return true;
}

static void conn_event(struct worker *worker, const struct epoll_event *event, enum tag tag)
{
	uint32_t index = (uint32_t)event->data.u64;
	struct conn *conn = conn_at(worker, index);
	if (!conn || conn_tag(tag, index, conn->generation) != event->data.u64)
		return;
	if (tag == TAG_ATTEMPT_0 || tag == TAG_ATTEMPT_1) {
		dial_event(worker, conn, tag == TAG_ATTEMPT_1);
		return;
	}
	enum peer_side side = tag == TAG_CLIENT ? CLIENT : SERVER;
	if (event->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		conn->readable[side] = true;
	if (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		conn->closing[side] = true;
	if (event->events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
		conn->writable[side] = true;
	conn_wake(worker, conn);
}

static void dispatch(struct worker *worker, const struct epoll_event *event)
{
	enum tag tag = (enum tag)(event->data.u64 >> 60);
	uint32_t index = (uint32_t)event->data.u64;
	switch (tag) {
	case TAG_LISTENER:
		if (index == LISTENER_DNS)
			dns_server_datagrams(worker, worker->listeners[index]);
		else if (index == LISTENER_SYN_V4 || index == LISTENER_SYN_V6)
			accept_segments(worker, index);
		else
			accept_all(worker, index);
		break;
	case TAG_PUBLISHED:
		accept_published(worker, index);
		break;
	case TAG_CONTROL:
		// Takes all orders: the socket must not fill up.
		while (take_order(worker))
			;
		break;
	case TAG_ARES:
		lookup_event(worker, (int)index, event->events);
		break;
	case TAG_CLIENT:
	case TAG_SERVER:
	case TAG_ATTEMPT_0:
	case TAG_ATTEMPT_1:
		conn_event(worker, event, tag);
		break;
	}
}

// A descriptor without an epoll watch (fs.epoll.max_user_watches) is tried in each turn.
static void watch(struct worker *worker, int fd, enum tag tag, uint32_t index)
{
	struct epoll_event event = { .events = EPOLLIN };
	event.data.u64 = conn_tag(tag, index, 0);
	if (!worker->watches_nobody &&
	    (epoll_ctl(worker->epoll, EPOLL_CTL_ADD, fd, &event) == 0 || errno == EEXIST))
		return;
	worker->blind = true;
	dispatch(worker, &event);
}

static void watch_all(struct worker *worker)
{
	worker->blind = false;
	lookup_look(worker);
	watch(worker, worker->control, TAG_CONTROL, 0);
	for (unsigned i = 0; i < worker->listener_count; i++)
		if (worker->listeners[i] >= 0)
			watch(worker, worker->listeners[i], TAG_LISTENER, i);
	for (unsigned i = 0; i < 2 * DOORS_MAX; i++)
		if (worker->published[i] >= 0)
			watch(worker, worker->published[i], TAG_PUBLISHED, i);
}

static void conclude(struct worker *worker, struct conn *conn, enum turn turn)
{
	switch (turn) {
	case TURN_WAIT:
		break;
	case TURN_MOVED:
		conn_wake(worker, conn);
		break;
	case TURN_CLOSE:
	case TURN_RESET:
		conn_end(worker, conn, turn);
		break;
	}
}

static void run_queue(struct worker *worker)
{
	// Connections that are queued during this round come in the next.
	enum { SLICE_MILLISECONDS = 20 };
	uint32_t count = worker->queue_count;
	int64_t end = steady_now() + SLICE_MILLISECONDS;
	for (uint32_t i = 0; i < count; i++) {
		struct conn *conn = &worker->conns[worker->queue[i]];
		conn->queued = false;
		if (conn->state == CONN_FREE)
			worker->free[worker->free_count++] = worker->queue[i];
		else if (conn->state != CONN_ENDED)
			conclude(worker, conn, client_run(worker, conn));
		if (steady_now() >= end)
			count = i + 1;
	}
	memmove(worker->queue, worker->queue + count,
		(worker->queue_count - count) * sizeof(*worker->queue));
	worker->queue_count -= count;
}

static void free_ended(struct worker *worker)
{
	for (uint32_t i = 0; i < worker->ended_count; i++) {
		struct conn *conn = &worker->conns[worker->ended[i]];
		if (conn->syn.length)
			syn_end(worker, conn);
		conn_free(worker, conn);
	}
	worker->ended_count = 0;
}

static void run_timers(struct worker *worker)
{
	bool paused = worker->any_paused;
	worker->next_timers = worker->now + TICK_MILLISECONDS;
	worker->any_paused = false;
	worker->questions_due = true;
	for (uint32_t i = 0; i < worker->used && (worker->deadlines || paused); i++) {
		struct conn *conn = conn_at(worker, i);
		if (!conn)
			continue;
		if (conn->paused) {
			conn->paused = false;
			conn_wake(worker, conn);
		}
		if (conn->deadline && conn->deadline <= worker->now)
			conclude(worker, conn, client_expired(worker, conn));
	}
}

static int sleep_time(struct worker *worker)
{
	int limit = -1;
	if (worker->queue_count || worker->end)
		return 0;
	if (worker->deadlines || worker->any_paused || worker->blind || worker->question_count)
		limit = TICK_MILLISECONDS;
	else if (worker->unsent.count)
		limit = 1000;
	else if (worker->held_count > SWEEP_LEAST)
		limit = SWEEP_MILLISECONDS;
	return lookup_timeout(worker, limit);
}

static _Noreturn void loop(struct worker *worker)
{
	struct epoll_event events[EVENTS_A_TURN];
	watch_all(worker);
	for (;;) {
		int count = epoll_wait(worker->epoll, events, EVENTS_A_TURN, sleep_time(worker));
		worker->now = steady_now();
		for (int i = 0; i < count; i++)
			dispatch(worker, &events[i]);
		while (worker->rules_changed) {
			worker->rules_changed = false;
			judge_again(worker);
		}
		if (worker->blind)
			watch_all(worker);
		if (count <= 0)
			ares_process_fd(worker->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
		if (worker->question_count && worker->questions_due)
			dns_server_waiting(worker);
		if (worker->lookup_wanted && worker->lookup_freed)
			dial_waiting(worker);
		run_queue(worker);
		if (worker->now >= worker->next_timers)
			run_timers(worker);
		free_ended(worker);
		if (worker->unsent.count && worker->now >= worker->next_flush)
			record_flush(worker);
		if (worker->now >= worker->next_sweep)
			conn_sweep(worker);
		if (worker->end &&
		    ((count <= 0 && !worker->queue_count) || worker->now >= worker->end)) {
			for (uint32_t i = 0; i < worker->used; i++)
				record_end(worker, &worker->conns[i]);
			record_flush(worker);
			_exit(0);
		}
	}
}

static void use_upstream(struct worker *worker, const char *url)
{
	if (!url || !*url)
		return;
	url += str_starts(url, "http://") ? strlen("http://") : 0;
	size_t length = strcspn(url, "/");
	const char *at = memrchr(url, '@', length);
	const char *host = at ? at + 1 : url;
	worker->upstream_port = 80;
	worker->has_upstream = host_parse_port(host, length - (size_t)(host - url),
					       &worker->upstream, &worker->upstream_port);
	if (at) {
		char encoded[AUTHORIZATION_MAX - 48];
		base64_url_user(url, (size_t)(at - url), encoded, sizeof(encoded));
		snprintf(worker->authorization, sizeof(worker->authorization),
			 "Proxy-Authorization: Basic %s\r\n", encoded);
	}
}

static void prepare(struct worker *worker, const struct worker_start *start)
{
	worker->shared = start->shared;
	worker->control = start->control;
	worker->opener = start->opener;
	worker->routes = local_open();
	worker->spare = fcntl(worker->control, F_DUPFD_CLOEXEC, 3);
	worker->now = steady_now();
	worker->files_checked = worker->now - 60000;
	worker->epoll = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned i = 0; i < start->listener_count; i++)
		worker->listeners[i] = start->listeners[i];
	worker->listener_count = start->listener_count;
	worker->relayed = start->relayed;
	syn_prepare(worker);
	worker->watches_nobody = start->locks & CONFINE_UNWATCHED;
	memcpy(worker->loopback_ports, start->egress->loopback, sizeof(worker->loopback_ports));
	for (unsigned i = 0; i < 2 * DOORS_MAX; i++) {
		worker->published[i] = start->published[i];
		worker->published_inside[i / 2] = start->ports[i / 2].inside;
	}
	use_upstream(worker, start->upstream);
	worker->behind_box = start->egress->behind_box;
	snprintf(worker->no_proxy, sizeof(worker->no_proxy), "%s",
		 start->no_proxy ? start->no_proxy : "");
}

static void *take_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		_exit(1);
	return memory;
}

_Noreturn void worker_main(const struct worker_start *start)
{
	struct worker *worker = take_memory(sizeof(*worker));
	worker->conns = take_memory(CONNS_MAX * sizeof(struct conn));
	worker->buffers = take_memory(2 * CONNS_MAX * (size_t)BUFFER_SIZE);
	worker->bulk = take_memory(BULK_MAX * (size_t)BULK_BYTES);
	prepare(worker, start);
	if (worker->epoll < 0 || worker->routes < 0 || lookup_begin(worker) < 0 ||
	    confine(CONFINED_WORKER, start->locks) < 0)
		_exit(1);
	recv(worker->control, &(char){ 0 }, 1, MSG_PEEK);
	take_order(worker);
	loop(worker);
}
