// Owns the messages of the box's pid 1. They have a fixed size, and need no parser.
#include "run/steps.h"

#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ask/ask.h"
#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "base/testing.h"
#include "bpf/catch.h"
#include "net/host/proxy.h"
#include "net/setup/netns.h"
#include "plan.h"
#include "process/exec_clients.h"
#include "run.h"
#include "report/summary.h"
#include "seccomp/asking.h"
#include "session/apply/apply.h"

static int take_held(const struct plan *plan, struct run *run, const int fds[FD_PASSED])
{
	run->user = fds[0];
	run->view = fds[1];
	run->copies = plan->copy_count > 0 ? fds[2] : -1;
	run->dangling_link = plan->dangling ? fds[plan->copy_count > 0 ? 3 : 2] : -1;
	join_ready(plan, run);
	return standard_io_release(plan, run);
}

enum run_turn run_broken(struct run *run, struct outcome *outcome)
{
	outcome->kind = OUTCOME_HOST_FAILED;
	snprintf(run->message.text, sizeof(run->message.text), "%s", err_taken());
	return ENDED;
}

static int take_listener(const struct plan *plan, struct run *run, int listener)
{
	run->listener = listener;
	run->no_listener = listener < 0;
	asking_begin(listener);
	return plan->tier == TIER_LANDLOCK && plan->egress.on ? proxy_share(plan, run->proxy) : 0;
}

// Refuses a datagram socket: it could send anywhere.
static bool is_stream_socket(int fd)
{
	int type = 0, family = 0;
	socklen_t size = sizeof(int);
	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM &&
	       getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 &&
	       (family == AF_INET || family == AF_INET6);
}

static void take_sockets(const struct run *run, int fds[FD_PASSED])
{
	unsigned count = 0;
	while (count < FD_PASSED && is_stream_socket(fds[count]))
		count++;
	for (unsigned i = count; i < FD_PASSED; i++)
		fd_close(&fds[i]);
	proxy_sockets(run->proxy, fds, count);
}

// `redirected`: the first listener gets the connections to every port.
static void take_listeners(const struct plan *plan, struct run *run, const int fds[FD_PASSED])
{
	bool redirected = run->proxy->listener_count > 0 ? run->proxy->redirected
							 : run->message.number & NETNS_REDIRECTS ||
								   catch_all(plan, run, fds[0]);
	run->proxy->holds = run->message.number & NETNS_HOLDS;
	run->proxy->complete = !(run->message.number & NETNS_MORE);
	proxy_listeners(run->proxy, fds, FD_PASSED, redirected);
	if (testing_skips("listener-haste")) // the box connects before the next lines run
		nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
}

static void take_started(const struct plan *plan, struct run *run, int terminal)
{
	if (run->started) { // a pid 1 that the box controls can send this again
		fd_close(&terminal);
		return;
	}
	run->started = true;
	for (int i = 0; i < STEPS_MAX; i++)
		run->host_nanoseconds[i] += run->message.nanoseconds[i];
	run->pty = terminal;
	events_command_started(plan, run);
	standard_io_started(plan, run);
}

static void take_further(struct run *run, int fds[FD_PASSED])
{
	exec_clients_tell(run, &run->message, fds[0]);
	for (int i = 0; i < FD_PASSED; i++)
		fd_close(&fds[i]);
}

enum run_turn box_messages_take(const struct plan *plan, struct run *run, struct outcome *outcome)
{
	struct message *message = &run->message;
	int fds[FD_PASSED];
	ssize_t got = fd_receive(run->from_box, message, sizeof(*message), fds);
	message->text[sizeof(message->text) - 1] = '\0';
	outcome->kind = OUTCOME_INIT_VANISHED;
	if (got != (ssize_t)sizeof(*message))
		return ENDED;
	if (message->kind != MESSAGE_FAILED && lock_begin(plan, run) < 0)
		return run_broken(run, outcome);
	apart_reap();
	switch (message->kind) {
	case MESSAGE_LISTENER:
		return take_listener(plan, run, fds[0]) < 0 ? run_broken(run, outcome) : GOES_ON;
	case MESSAGE_HELD:
		return take_held(plan, run, fds) < 0 ? run_broken(run, outcome) : GOES_ON;
	case MESSAGE_LISTENING:
		take_listeners(plan, run, fds);
		return GOES_ON;
	case MESSAGE_SOCKETS:
		take_sockets(run, fds);
		return GOES_ON;
	case MESSAGE_STARTED:
		take_started(plan, run, fds[0]);
		return GOES_ON;
	case MESSAGE_STOPPED:
		(void)ATTEMPT(signals_stop(run));
		return GOES_ON;
	case MESSAGE_PAUSED:
		run->ask->terminal.stopped = true;
		return GOES_ON;
	case MESSAGE_EXEC:
		take_further(run, fds);
		return GOES_ON;
	case MESSAGE_FAILED:
		outcome->kind = OUTCOME_FAILED;
		if (message->step < 0 || message->step >= step_count)
			outcome->kind = OUTCOME_INIT_VANISHED;
		return ENDED;
	case MESSAGE_NO_EXEC:
		outcome->kind = OUTCOME_NO_EXEC;
		return ENDED;
	case MESSAGE_ENDED:
		outcome->kind = OUTCOME_ENDED;
		outcome->status = message->status;
		return ENDED;
	}
	return ENDED;
}
