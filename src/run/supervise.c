// Owns the supervisor's loop. It parses nothing but fixed-size messages of our own pid 1.
#include "run/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/pages.h"
#include "base/steady.h"
#include "bpf/catch.h"
#include "bpf/guard.h"
#include "guard/check.h"
#include "guard/watch.h"
#include "jail/asking.h"
#include "jail/explain.h"
#include "jail/hold.h"
#include "jail/notify.h"
#include "jail/homes.h"
#include "jail/profiles.h"
#include "limits/group.h"
#include "net/host/control_socket.h"
#include "net/host/proxy.h"
#include "plan.h"
#include "run.h"
#include "run/clock.h"
#include "run/signals.h"
#include "run/standard_io.h"
#include "run/walk.h"
#include "session/attach.h"

// What one turn of the loop does at most for each source, so that none keeps limits, guards and
// time from being looked at, whatever a box does. These three come first in each turn.
//
//   limits, time      a walk over the box's processes, when it is due (limits/watch.c)
//   mounts            one helper, RESTORE_TRIES waits of 1 ms in all (guard/watch.c)
//   protected names   EVENTS_A_TURN reads, a look at each, TAKES_A_TURN moved away; after
//                     TAKEN_MOST a tenth of the time, each name by itself (guard/watch.c)
//   second filter     one question of --explain (jail/explain.c); a thread answers the rest
//   signals           SIGNALS_A_TURN
//   proxy             a message of each worker; at most WORKERS_MOST start, the death of one
//                     ends the run, what it does not take is not waited for (net/host/proxy.c)
//   owners            OWNER_SLICE_MOST, of OWNER_RECORD_MOST for one connection and OWNER_RUN_MOST
//                     for all (net/host/socket_owner.h)
//   sbx allow         one wish; no box can ask (net/host/control_socket.c)
//   the box's pid 1   one message
// Somebody reaps what we leave behind: the first process of a machine does, that of a container
// need not.
static bool orphans_are_reaped(void)
{
	const ino_t first = 0xeffffffcU; // its pid namespace's inode, since Linux 3.8
	struct stat status;
	return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == first;
}

static struct outcome finish(const struct plan *plan, struct run *run, struct outcome outcome)
{
	run->reaped = orphans_are_reaped();
	// The last to hold the view pays for its end: that is pid 1, which waits for this end of
	// its socket.
	fd_close(&run->asked_root);
	fd_close(&run->user);
	fd_close(&run->view);
	fd_close(&run->from_box);
	// An empty box may be left to end by itself; anything else is killed and waited for.
	if (outcome.kind == OUTCOME_ENDED && run->message.alone && !run->grouped && run->reaped)
		run->init = 0;
	walk_undo(plan, run);
	return outcome;
}

// The box stands.
static int take_held(const struct plan *plan, struct run *run, const int fds[FD_PASSED])
{
	run->user = fds[0];
	run->view = fds[1];
	run->copies = plan->copy_count > 0 ? fds[2] : -1;
	run->absent = plan->absent ? fds[plan->copy_count > 0 ? 3 : 2] : -1;
	attach_ready(plan);
	return standard_io_release(plan, run);
}

// What the host side does for a box that has begun failed: the box is ended.
static bool broken(struct run *run, struct outcome *outcome)
{
	outcome->kind = OUTCOME_BROKEN;
	snprintf(run->message.text, sizeof(run->message.text), "%s", err_text());
	return true;
}

// Before the box can ask: what answers it.
static int begin_answers(const struct plan *plan, struct run *run)
{
	if (plan->tier == TIER_LANDLOCK && plan->egress.on)
		TRY(proxy_share(plan, run->proxy));
	return notify_begin(plan, run);
}

// Returns false while the run goes on.
static bool handle_message(const struct plan *plan, struct run *run, const struct clock *clock,
			   struct outcome *outcome)
{
	struct message *message = &run->message;
	int fds[FD_PASSED];
	unsigned count;
	bool redirected;
	ssize_t got = fd_receive(run->from_box, message, sizeof(*message), fds);
	message->text[sizeof(message->text) - 1] = '\0';
	outcome->kind = OUTCOME_LOST;
	if (got != (ssize_t)sizeof(*message))
		return true;
	switch (message->kind) {
	case MESSAGE_LISTENER:
		run->listener = fds[0];
		asking_begin(fds[0]);
		return begin_answers(plan, run) < 0 && broken(run, outcome);
	case MESSAGE_HELD:
		return take_held(plan, run, fds) < 0 && broken(run, outcome);
	case MESSAGE_LISTENING:
		// The first of all is the one that takes every port.
		redirected = run->proxy->listener_count > 0
				     ? run->proxy->redirected
				     : message->number != 0 || catch_all(plan, run, fds[0]);
		proxy_listeners(run->proxy, fds, FD_PASSED, redirected);
		return false;
	case MESSAGE_SOCKETS:
		for (count = 0; count < FD_PASSED && fds[count] >= 0; count++)
			;
		proxy_sockets(run->proxy, fds, count);
		return false;
	case MESSAGE_STARTED:
		for (int i = 0; i < STEPS_MOST; i++)
			run->host_nanoseconds[i] += message->nanoseconds[i];
		return false;
	case MESSAGE_STOPPED:
		clock_stop(run, clock);
		return false;
	case MESSAGE_FAILED:
		outcome->kind = OUTCOME_FAILED;
		if (message->step < 0 || message->step >= step_count)
			outcome->kind = OUTCOME_LOST;
		return true;
	case MESSAGE_NO_EXEC:
		outcome->kind = OUTCOME_NO_EXEC;
		return true;
	case MESSAGE_ENDED:
		outcome->kind = OUTCOME_ENDED;
		outcome->status = message->status;
		return true;
	}
	return true;
}

// All that a run's loop looks at besides messages and signals.
struct eyes {
	struct watch watch;
	int64_t begin; // of the run
	int64_t delay; // milliseconds until they are opened; 0: the box does not stand yet
	bool open;
	struct out *told; // the outcome's
};

// Poll's time-out: none while there is something else to do; the limit's, or until the eyes are
// opened, or look again.
static int sleep_time(const struct eyes *eyes, int limit, bool busy)
{
	int64_t left = eyes->begin + eyes->delay - steady_now();
	if (eyes->open && eyes->watch.again)
		left = eyes->watch.again - steady_now();
	if (busy)
		return 0;
	left = left < 0 ? 0 : left;
	bool waits = !eyes->open && eyes->delay == 0; // what it waits for is a message
	if (waits || (eyes->open && !eyes->watch.again) || (limit >= 0 && limit < left))
		return limit;
	return (int)left;
}

// On a machine that is busy a short run takes long: by the time that it took to make the box,
// before the command could do anything to it.
static void set_delay(const struct run *run, struct eyes *eyes)
{
	enum { BOX_MILLISECONDS = 8, SLOWER_MOST = 16 };
	int64_t slower = (steady_now() - eyes->begin) / BOX_MILLISECONDS;
	if (run->view >= 0 && eyes->delay == 0) {
		eyes->delay = SHORT_RUN_MILLISECONDS * (slower < 1             ? 1
							: slower > SLOWER_MOST ? SLOWER_MOST
									       : slower);
	}
}

static void look(const struct plan *plan, const struct run *run, struct eyes *eyes,
		 const struct pollfd *events)
{
	if (!eyes->open && eyes->delay > 0 && steady_now() >= eyes->begin + eyes->delay) {
		watch_begin(&eyes->watch, plan, run, eyes->told);
		pages_release_stack();
		eyes->open = true;
		return;
	}
	if (events[2].revents)
		watch_mounts(plan, run, eyes->told);
	if (events[3].revents || (eyes->watch.again && steady_now() >= eyes->watch.again))
		watch_names(&eyes->watch, plan, run, eyes->told);
}

// When the last process is dead: the box can change nothing any more.
static void look_last(const struct plan *plan, const struct run *run, struct eyes *eyes,
		      struct outcome *outcome)
{
	bool done = outcome->kind == OUTCOME_ENDED && outcome->status == 0;
	watch_end(&eyes->watch, eyes->told);
	if (plan->guard_count > 0 && outcome->kind != OUTCOME_FAILED) // no command was there
		check_host(plan, run, done ? COMMAND_DONE : COMMAND_FAILED, &outcome->told,
			   &outcome->changed);
	if (run->journal_problem)
		out_text(
			&outcome->told,
			"sbx: the state directory cannot be written (%s): what a killed run leaves "
			"is not checked; set XDG_STATE_HOME to a directory of yours\n",
			strerror(run->journal_problem));
	profiles_remember(plan, &outcome->told);
	homes_remember(plan);
	proxy_report(run->proxy, &outcome->denials);
	if (plan->learn)
		proxy_used(run->proxy, &outcome->denials);
	if (!done)
		proxy_explain(plan, run->proxy, &outcome->told);
	control_socket_note(run->proxy, &outcome->told);
	list_each (item, &plan->warnings)
		out_text(&outcome->told, "sbx: %s\n", item->text);
}

// What the end means: a limit that the supervisor or the kernel kept counts more than the status.
static void judge(const struct plan *plan, struct run *run, const struct clock *clock,
		  struct outcome *outcome)
{
	bool by_command = outcome->kind == OUTCOME_ENDED || outcome->kind == OUTCOME_LOST;
	run->group->usage.wall = (uint64_t)(steady_now() - clock->begin);
	usage_read(plan, run);
	guard_bytes(run, &run->group->usage.sent, &run->group->usage.received);
	if (by_command)
		outcome->stop = clock->stop;
	if (outcome->kind == OUTCOME_LOST && run->group->usage.kills > 0)
		outcome->stop = STOP_MEMORY;
	if (outcome->stop != STOP_NONE)
		outcome->kind = OUTCOME_STOPPED;
}

enum { OWN_EVENTS = 5 };

struct outcome supervise(const struct plan *plan, struct run *run)
{
	struct outcome outcome = { .kind = OUTCOME_FAILED };
	struct clock clock = { 0 };
	clock_begin(plan, &clock);
	if (walk_host(plan, run) < 0)
		return outcome;
	watch_limits_begin(plan, run, steady_now());
	pages_release_stack();
	struct eyes eyes = { .watch = { .names = -1, .mounts = -1 },
			     .begin = steady_now(),
			     .told = &outcome.told };
	// Nothing to look at, or no way to: then only the last look is left.
	eyes.open = plan->guard_count == 0 || plan->tier == TIER_LANDLOCK;
	bool ended =
		!hold_reports(plan) && standard_io_release(plan, run) < 0 && broken(run, &outcome);
	while (!ended) {
		struct pollfd events[OWN_EVENTS + PROXY_EVENTS_MOST] = {
			{ .fd = run->from_box, .events = POLLIN },
			{ .fd = run->signals, .events = POLLIN },
			{ .fd = eyes.watch.mounts, .events = POLLPRI },
			{ .fd = eyes.watch.names, .events = POLLIN },
			{ .fd = plan->explain ? run->listener : -1, .events = POLLIN },
		};
		unsigned others = proxy_events(run->proxy, events + OWN_EVENTS);
		int ready = poll(
			events, OWN_EVENTS + others,
			sleep_time(&eyes, clock_tick(plan, run, &clock), proxy_seeks(run->proxy)));
		if (ready < 0)
			continue;
		look(plan, run, &eyes, events);
		if (events[4].revents & POLLIN)
			explain_answer(plan, run, &outcome.denials);
		else if (events[4].revents) // nobody is left to ask
			fd_close(&run->listener);
		if (events[1].revents)
			signals_handle(run);
		if (proxy_handle(plan, run, events + OWN_EVENTS, others) < 0 ||
		    (proxy_seeks(run->proxy) && proxy_look(plan, run->proxy) < 0)) {
			broken(run, &outcome);
			break;
		}
		if (events[0].revents)
			ended = handle_message(plan, run, &clock, &outcome);
		set_delay(run, &eyes);
	}
	judge(plan, run, &clock, &outcome);
	proxy_end(plan, run);
	outcome = finish(plan, run, outcome);
	look_last(plan, run, &eyes, &outcome);
	return outcome;
}
