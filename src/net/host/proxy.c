// Owns the workers: their birth, their questions, their end.
#include "net/host/proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/steady.h"
#include "base/sys.h"
#include "net/host/control_socket.h"
#include "net/host/destinations.h"
#include "net/host/publish.h"
#include "net/host/questions.h"
#include "net/proxy/worker.h"
#include "net/rules/rules.h"
#include "net/setup/confine.h"
#include "net/setup/egress.h"
#include "plan.h"
#include "report/denials.h"
#include "run.h"

enum { WORKER_NICE = 5 };

void proxy_init(struct proxy *proxy)
{
	*proxy = (struct proxy){ .live = -1, .owners = -1 };
}

int proxy_host(struct plan *plan, struct run *run)
{
	struct proxy *proxy = run->proxy;
	if (!plan->egress.on)
		return 0;
	if (!plan->own_network) {
		struct publish any = { 0 };
		TRY(proxy->listeners[0] = publish_listen(&any));
		proxy->listener_count = 1;
		proxy->relayed = true;
	}
	for (unsigned i = 0; i < plan->egress.publish_count; i++) {
		TRY(publish_open(&plan->egress.publish[i],
				 &proxy->published[proxy->published_count],
				 &proxy->published[proxy->published_count + 1]));
		proxy->published_count += 2;
	}
	return 0;
}

int proxy_undo(const struct plan *plan, struct run *run)
{
	struct proxy *proxy = run->proxy;
	(void)plan;
	for (unsigned i = 0; i < proxy->published_count; i++)
		fd_close(&proxy->published[i]);
	for (unsigned i = 0; i < proxy->listener_count; i++)
		fd_close(&proxy->listeners[i]);
	proxy->published_count = proxy->listener_count = 0;
	fd_close(&proxy->owners);
	fd_close(&proxy->live);
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

// Everything of the supervisor's that a worker could read or reach is given up here: descriptors,
// the caller's environment, the plan. Rules 13 and 27.
static _Noreturn void become_worker(const struct plan *plan, const struct run *run,
				    struct worker_start *start, pid_t supervisor)
{
	int keep[LISTENERS_MAX + 2 * NETNS_LOOPBACK_MAX + 8], count = 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != supervisor)
		_exit(0);
	keep[count++] = start->control;
	if (start->opener >= 0)
		keep[count++] = start->opener;
	for (unsigned i = 0; i < start->listener_count; i++)
		keep[count++] = start->listeners[i];
	for (unsigned i = 0; i < start->published_count; i++)
		if (start->published[i] >= 0)
			keep[count++] = start->published[i];
	// What a box makes it do takes nothing from those who wait for a processor.
	if (nice(WORKER_NICE) < 0)
		errno = 0; // lower it cannot be
	int null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd <= 2; fd++)
		dup2(null, fd);
	if (fd_close_except(keep, (unsigned)count, 0) < 0)
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
	if (run->proxy->words) // the supervisor reads it, and has shared it by a fork
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
	unsigned index = proxy->worker_count;
	if (index == WORKERS_MAX)
		return 0;
	TRY(proxy_share(plan, proxy));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail(errno, "the proxy");
	struct orders *orders = orders_new(ends[0]);
	// We do not wait for a worker, whatever became of it.
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	struct worker_start start = { .relayed = proxy->relayed,
				      .shared = proxy->shared,
				      .first = index == 0,
				      .control = ends[1],
				      .opener = run->opener_channel,
				      .listeners = proxy->listeners,
				      .listener_count = proxy->listener_count,
				      .published = proxy->published,
				      .published_count = proxy->published_count };
	pid_t supervisor = getpid();
	atomic_fetch_add(&proxy->shared->workers, 1);
	atomic_store(&proxy->shared->taken[index], proxy->generation);
	pid_t pid = orders ? sys_clone(0, &proxy->workers[index].pidfd) : -1;
	if (pid == 0)
		become_worker(plan, run, &start, supervisor);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		free(orders);
		return fail(errno, "the proxy");
	}
	proxy->workers[index].pid = pid;
	proxy->workers[index].control = ends[0];
	proxy->workers[index].orders = orders;
	orders->worker = pid;
	proxy->worker_count++;
	orders_files(orders);
	return 0;
}

void proxy_answer(struct proxy *proxy, const struct host *host, uint16_t port,
		  enum hold_answer answer)
{
	struct worker_command order = {
		.kind = COMMAND_ANSWER, .host = *host, .port = port, .answer = answer
	};
	for (unsigned i = 0; i < proxy->worker_count; i++)
		orders_give(proxy->workers[i].orders, &order, NULL, 0);
}

static int take_report(const struct plan *plan, struct run *run, unsigned worker)
{
	struct orders *orders = run->proxy->workers[worker].orders;
	struct worker_event report;
	enum hold_answer answer;
	int fds[FD_PASSED];
	ssize_t got = fd_receive(orders->control, &report, sizeof(report), fds);
	for (int i = 0; i < FD_PASSED; i++)
		fd_close(&fds[i]);
	if (got != (ssize_t)sizeof(report))
		return fail(0, "the proxy died");
	if (!event_is_good(&report, steady_now()))
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
			proxy_answer(run->proxy, &report.record.host, report.record.port, answer);
		break;
	case EVENT_FULL:
		return start_worker(plan, run);
	case EVENT_SOCKETS:
		fd_order(run->from_box, run->pidfd, SIGNAL_ORDER, ORDER_SOCKETS);
		break;
	}
	return 0;
}

void proxy_sockets(struct proxy *proxy, int *fds, unsigned count)
{
	struct worker_command order = { .kind = COMMAND_SOCKETS };
	if (proxy->worker_count)
		orders_give(proxy->workers[0].orders, &order, fds, count);
	for (unsigned i = 0; i < count; i++)
		fd_close(&fds[i]);
}

unsigned proxy_events(const struct proxy *proxy, struct pollfd *events)
{
	unsigned count = 0;
	// Until a program listens, a connection wakes us.
	for (unsigned i = 0; !proxy->worker_count && i < proxy->listener_count; i++)
		events[count++] = (struct pollfd){ .fd = proxy->listeners[i], .events = POLLIN };
	for (unsigned i = 0; !proxy->worker_count && i < proxy->published_count; i++)
		events[count++] = (struct pollfd){ .fd = proxy->published[i], .events = POLLIN };
	for (unsigned i = 0; i < proxy->worker_count; i++) {
		events[count++] = orders_event(proxy->workers[i].orders);
		events[count++] =
			(struct pollfd){ .fd = proxy->workers[i].pidfd, .events = POLLIN };
	}
	if (proxy->live >= 0)
		events[count++] = (struct pollfd){ .fd = proxy->live, .events = POLLIN };
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
	for (unsigned i = 0; i < proxy->worker_count; i++) {
		orders_give(proxy->workers[i].orders, &order, NULL, 0);
		orders_rules(proxy->workers[i].orders);
	}
	return 0;
}

// Until then a connection that is denied could continue.
static int await_rules(struct proxy *proxy)
{
	for (unsigned i = 0; i < proxy->worker_count; i++)
		if (orders_overdue(proxy->workers[i].orders,
				   atomic_load(&proxy->shared->taken[i]) == proxy->generation))
			return fail(0, "the proxy does not take new rules");
	return 0;
}

int proxy_wait(const struct proxy *proxy, int milliseconds)
{
	for (unsigned i = 0; i < proxy->worker_count; i++)
		milliseconds = orders_wait(proxy->workers[i].orders, milliseconds);
	return milliseconds;
}

int proxy_handle(const struct plan *plan, struct run *run, const struct pollfd *events,
		 unsigned count)
{
	struct proxy *proxy = run->proxy;
	unsigned workers = proxy->worker_count;
	for (unsigned i = 0; i < count; i++) {
		bool started = events[i].fd == proxy->live;
		if (!events[i].revents)
			continue;
		if (started && control_socket_take(plan, run))
			TRY(proxy_change_rules(plan, proxy));
		for (unsigned j = 0; j < workers; j++) {
			started = started || events[i].fd == proxy->workers[j].control ||
				  events[i].fd == proxy->workers[j].pidfd;
			if (events[i].fd == proxy->workers[j].control &&
			    (events[i].revents & POLLOUT))
				orders_send(proxy->workers[j].orders);
			if (events[i].fd == proxy->workers[j].control &&
			    (events[i].revents & ~POLLOUT))
				TRY(take_report(plan, run, j));
			else if (events[i].fd == proxy->workers[j].pidfd)
				return fail(0, "the proxy died");
		}
		if (!started && !proxy->worker_count)
			TRY(start_worker(plan, run));
	}
	return await_rules(proxy);
}

// What it says until it has taken its last order and has nothing more to say.
static void hear_last(const struct plan *plan, struct run *run, unsigned worker, int64_t end)
{
	enum { LAST_WORDS_MILLISECONDS = 500 };
	struct orders *orders = run->proxy->workers[worker].orders;
	struct worker_command order = { .kind = COMMAND_END };
	orders_give(orders, &order, NULL, 0);
	for (struct pollfd event = orders_event(orders);
	     steady_now() < end && poll(&event, 1, LAST_WORDS_MILLISECONDS) > 0;
	     event = orders_event(orders)) {
		if (event.revents & POLLOUT)
			orders_send(orders);
		// What failed before is reported, not that workers end now.
		if ((event.revents & ~POLLOUT) && ATTEMPT(take_report(plan, run, worker)) < 0)
			return;
	}
}

void proxy_end(const struct plan *plan, struct run *run)
{
	enum { ALL_WORDS_MILLISECONDS = 10000 };
	struct proxy *proxy = run->proxy;
	int64_t end = steady_now() + ALL_WORDS_MILLISECONDS;
	for (unsigned i = 0; i < proxy->worker_count; i++) {
		hear_last(plan, run, i, end);
		sys_pidfd_send_signal(proxy->workers[i].pidfd, SIGKILL, NULL);
		while (waitpid(proxy->workers[i].pid, NULL, __WALL) < 0 && errno == EINTR)
			;
		orders_free(proxy->workers[i].orders);
		fd_close(&proxy->workers[i].control);
		fd_close(&proxy->workers[i].pidfd);
	}
	proxy->worker_count = 0;
	seen_end(plan, proxy->connections);
}
