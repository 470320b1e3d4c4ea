// Owns the worker's start, questions and end.
#include "net/host/proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/sys.h"
#include "net/host/control_socket.h"
#include "net/host/destinations.h"
#include "net/proxy/worker.h"
#include "net/rules/rules.h"
#include "net/setup/netns.h"
#include "plan.h"
#include "report/findings.h"
#include "run.h"

enum { WORKER_NICE = 5 };

void proxy_init(struct proxy *proxy)
{
	*proxy = (struct proxy){ .control = -1, .owners = -1, .pidfd = -1 };
	for (int i = 0; i < DOORS_MAX; i++)
		proxy->doors[i].sockets[0] = proxy->doors[i].sockets[1] = -1;
}

int proxy_host(struct plan *plan, struct run *run)
{
	struct proxy *proxy = run->proxy;
	if (!plan->egress.on)
		return 0;
	if (!plan->own_network) {
		TRY(proxy->listeners[0] = publish_listen());
		proxy->listener_count = 1;
		proxy->relayed = proxy->complete = true;
	}
	for (unsigned i = 0; i < plan->egress.publish_count; i++) {
		TRY(publish_open(&plan->egress.publish[i], "--publish ",
				 &proxy->doors[i].sockets[0], &proxy->doors[i].sockets[1]));
		proxy->ports[i] = plan->egress.publish[i];
		doors_soon(proxy);
	}
	return 0;
}

int proxy_undo(const struct plan *plan, struct run *run)
{
	struct proxy *proxy = run->proxy;
	(void)plan;
	for (unsigned i = 0; i < DOORS_MAX; i++)
		doors_close(proxy, i);
	for (unsigned i = 0; i < proxy->listener_count; i++)
		fd_close(&proxy->listeners[i]);
	proxy->listener_count = 0;
	proxy->complete = false;
	fd_close(&proxy->owners);
	fd_close(&proxy->control);
	return 0;
}

void proxy_listeners(struct proxy *proxy, const int *fds, unsigned count, bool redirected)
{
	proxy->redirected = redirected;
	for (unsigned i = 0; i < count; i++)
		if (fds[i] >= 0 && proxy->listener_count < LISTENERS_MAX)
			proxy->listeners[proxy->listener_count++] = fds[i];
	if (proxy->owners < 0 && proxy->listener_count > LISTENER_OWNERS) {
		proxy->owners = proxy->listeners[LISTENER_OWNERS];
		proxy->listeners[LISTENER_OWNERS] = -1;
	}
}

// Closes or wipes what a worker must not read.
static _Noreturn void become_worker(const struct plan *plan, const struct run *run,
				    struct worker_start *start, pid_t supervisor)
{
	int keep[LISTENERS_MAX + 2 * NETNS_LOOPBACK_MAX + 8], count = 0;
	keep[count++] = start->control;
	if (start->opener >= 0)
		keep[count++] = start->opener;
	for (unsigned i = 0; i < start->listener_count; i++)
		keep[count++] = start->listeners[i];
	for (unsigned i = 0; i < 2 * DOORS_MAX; i++)
		if (start->published[i] >= 0)
			keep[count++] = start->published[i];
	// A box that loads the worker must not slow other programs.
	if (nice(WORKER_NICE) < 0)
		errno = 0;
	if (apart_born(supervisor, NULL, 0, keep, (unsigned)count) < 0)
		_exit(1);
	static struct egress egress;
	static char upstream[EGRESS_URL_MAX + 1], no_proxy[EGRESS_NO_PROXY_MAX + 1];
	egress = plan->egress;
	start->egress = &egress;
	snprintf(upstream, sizeof(upstream), "%s", egress.upstream ? egress.upstream : "");
	snprintf(no_proxy, sizeof(no_proxy), "%s", egress.no_proxy ? egress.no_proxy : "");
	start->upstream = upstream;
	start->no_proxy = no_proxy;
	start->locks = confine_locks();
	if (run->proxy->words) // this process's copy
		arena_free(run->proxy->words);
	confine_forget(plan, run);
	worker_main(start);
}

int proxy_share(const struct plan *plan, struct proxy *proxy)
{
	if (proxy->shared)
		return 0;
	if (proxy->owners < 0)
		proxy->owners = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	proxy->shared = shared_new();
	proxy->connections =
		seen_new(proxy->owners, plan->toplevel ? plan->toplevel : plan->current);
	if (!proxy->shared || !proxy->connections)
		return fail(ENOMEM, "the proxy");
	return rules_change(plan, &proxy->more_allow, &proxy->more_deny, proxy->shared, 0);
}

static int start_worker(const struct plan *plan, struct run *run)
{
	struct proxy *proxy = run->proxy;
	int ends[2];
	TRY(proxy_share(plan, proxy));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail(errno, "the proxy");
	struct orders *orders = orders_new(ends[0]);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	int published[2 * DOORS_MAX];
	for (int i = 0; i < 2 * DOORS_MAX; i++)
		published[i] = proxy->doors[i / 2].open ? proxy->doors[i / 2].sockets[i % 2] : -1;
	struct worker_start start = { .relayed = proxy->relayed,
				      .shared = proxy->shared,
				      .control = ends[1],
				      .opener = run->opener_channel,
				      .listeners = proxy->listeners,
				      .listener_count = proxy->listener_count,
				      .published = published,
				      .ports = proxy->ports };
	pid_t supervisor = getpid();
	atomic_store(&proxy->shared->taken, proxy->generation);
	pid_t pid = orders ? sys_clone(0, &proxy->pidfd) : -1;
	if (pid == 0)
		become_worker(plan, run, &start, supervisor);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		free(orders);
		return fail(errno, "the proxy");
	}
	proxy->orders = orders;
	orders->worker = pid;
	orders_files(orders);
	return 0;
}

void proxy_answer(struct proxy *proxy, const struct host *host, uint16_t port,
		  enum hold_answer answer)
{
	struct worker_command order = {
		.kind = COMMAND_ANSWER, .host = *host, .port = port, .answer = answer
	};
	if (proxy->orders)
		orders_give(proxy->orders, &order, NULL, 0);
}

static int take_report(const struct plan *plan, struct run *run)
{
	struct orders *orders = run->proxy->orders;
	struct worker_event report = { .count = 0 };
	enum hold_answer answer;
	ssize_t got = fd_receive(orders->control, &report, sizeof(report), NULL);
	if (got < (ssize_t)offsetof(struct worker_event, records))
		return fail(0, "the proxy died");
	if (got != (ssize_t)event_size(&report) || !event_is_good(&report, steady_now()))
		return fail(0, "the proxy said something unknown");
	switch (report.kind) {
	case EVENT_NEW:
	case EVENT_RECORD:
		seen_take(plan, run, run->proxy->connections, &report, orders);
		break;
	case EVENT_FILES:
		orders_files(orders);
		break;
	case EVENT_ASK:
		if (questions_take(plan, run, &report, &answer))
			proxy_answer(run->proxy, &report.records[0].host, report.records[0].port,
				     answer);
		break;
	case EVENT_UNHEARD:
		doors_soon(run->proxy);
		break;
	case EVENT_SOCKETS:
		fd_order(run->from_box, run->pidfd, SIGNAL_ORDER, ORDER_SOCKETS);
		break;
	}
	return 0;
}

void proxy_sockets(struct proxy *proxy, int *fds, unsigned count)
{
	struct worker_command order = { .kind = COMMAND_SOCKETS };
	if (proxy->orders)
		orders_give(proxy->orders, &order, fds, count);
	for (unsigned i = 0; i < count; i++)
		fd_close(&fds[i]);
}

unsigned proxy_events(const struct proxy *proxy, struct pollfd *events)
{
	unsigned count = 0;
	// Without a worker, the first connection wakes the supervisor.
	bool asleep = !proxy->orders && proxy->complete;
	for (unsigned i = 0; asleep && i < proxy->listener_count; i++)
		events[count++] = (struct pollfd){ .fd = proxy->listeners[i], .events = POLLIN };
	for (unsigned i = 0; asleep && i < 2 * DOORS_MAX; i++)
		if (proxy->doors[i / 2].open)
			events[count++] = (struct pollfd){ .fd = proxy->doors[i / 2].sockets[i % 2],
							   .events = POLLIN };
	if (proxy->orders) {
		events[count++] = orders_event(proxy->orders);
		events[count++] = (struct pollfd){ .fd = proxy->pidfd, .events = POLLIN };
	}
	if (proxy->control >= 0)
		events[count++] = (struct pollfd){ .fd = proxy->control, .events = POLLIN };
	return count;
}

int proxy_change_rules(const struct plan *plan, struct proxy *proxy)
{
	struct worker_command order = { .kind = COMMAND_RULES };
	if (!proxy->shared)
		return 0;
	TRY(rules_change(plan, &proxy->more_allow, &proxy->more_deny, proxy->shared,
			 proxy->generation + 1));
	proxy->generation++;
	if (proxy->orders) {
		orders_give(proxy->orders, &order, NULL, 0);
		orders_rules(proxy->orders);
	}
	return 0;
}

// A worker that ignores new rules could keep a denied connection: ends the run.
static int await_rules(struct proxy *proxy)
{
	if (proxy->orders &&
	    orders_overdue(proxy->orders, atomic_load(&proxy->shared->taken) == proxy->generation))
		return fail(0, "the proxy does not take new rules");
	return 0;
}

int proxy_wait(const struct proxy *proxy, int milliseconds)
{
	milliseconds = doors_wait(proxy, milliseconds);
	return proxy->orders ? orders_wait(proxy->orders, milliseconds) : milliseconds;
}

int proxy_handle(const struct plan *plan, struct run *run, const struct pollfd *events,
		 unsigned count)
{
	struct proxy *proxy = run->proxy;
	const struct orders *orders = proxy->orders;
	if (proxy->shared)
		atomic_store(&proxy->shared->watched, run->watched);
	if (proxy->complete && proxy->doors_next)
		TRY(proxy_share(plan, proxy));
	doors_look(proxy);
	for (unsigned i = 0; i < count; i++) {
		int fd = events[i].fd;
		if (!events[i].revents)
			continue;
		if (fd == proxy->control && proxy->complete)
			// The client may publish a port, which needs the shared memory.
			TRY(proxy_share(plan, proxy));
		if (fd == proxy->control && control_socket_take(plan, run))
			TRY(proxy_change_rules(plan, proxy));
		if (orders && fd == orders->control && (events[i].revents & POLLOUT))
			orders_send(proxy->orders);
		if (orders && fd == orders->control && (events[i].revents & ~POLLOUT))
			TRY(take_report(plan, run));
		if (orders && fd == proxy->pidfd)
			return fail(0, "the proxy died");
		if (!proxy->orders && fd != proxy->control)
			TRY(start_worker(plan, run));
	}
	return await_rules(proxy);
}

static void hear_last(const struct plan *plan, struct run *run)
{
	enum { LAST_WORDS_MILLISECONDS = 500, ALL_WORDS_MILLISECONDS = 10000 };
	struct orders *orders = run->proxy->orders;
	int64_t end = steady_now() + ALL_WORDS_MILLISECONDS;
	struct worker_command order = { .kind = COMMAND_END };
	orders_give(orders, &order, NULL, 0);
	for (struct pollfd event = orders_event(orders);
	     steady_now() < end && poll(&event, 1, LAST_WORDS_MILLISECONDS) > 0;
	     event = orders_event(orders)) {
		if (event.revents & POLLOUT)
			orders_send(orders);
		if ((event.revents & ~POLLOUT) && ATTEMPT(take_report(plan, run)) < 0)
			return;
	}
}

void proxy_end(const struct plan *plan, struct run *run)
{
	struct proxy *proxy = run->proxy;
	if (proxy->orders) {
		hear_last(plan, run);
		sys_pidfd_send_signal(proxy->pidfd, SIGKILL, NULL);
		while (waitpid(proxy->orders->worker, NULL, __WALL) < 0 && errno == EINTR)
			;
		fd_close(&proxy->orders->control);
		fd_close(&proxy->pidfd);
		orders_free(proxy->orders);
		proxy->orders = NULL;
	}
	seen_end(plan, proxy->connections);
}
