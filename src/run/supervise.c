// Owns the supervisor's loop. It parses only fixed-size messages of pid 1.
#include "run/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/testing.h"
#include "bpf/guard.h"
#include "secrets/host/credentials.h"
#include "limits/group.h"
#include "mount/mount.h"
#include "net/host/proxy.h"
#include "net/host/destinations.h"
#include "notify/notify.h"
#include "plan.h"
#include "postcheck/postcheck.h"
#include "postcheck/acts/check.h"
#include "process/exec_clients.h"
#include "process/ns.h"
#include "run.h"
#include "ask/ask.h"
#include "report/summary.h"
#include "sshagent/sshagent.h"
#include "view/protect/protect.h"

// A turn of the loop does at most this for each source. Limits, mounts and time come first. No
// source may delay them.
//
//   limits, time      a walk over the box's processes, when it is due (limits/watch.c)
//   mounts            ANSWERS_A_TURN mounts that were restored (postcheck/walls.c)
//   protected names   EVENTS_A_TURN reads, a check of each, TAKES_A_TURN quarantined; a name that
//                     returns ends the run (postcheck/name_watch.c)
//   second filter     what a thread found, as much as a socket holds (notify/explain.c)
//   signals           SIGNALS_A_TURN
//   parent            its end, once
//   proxy             a message of the worker; its death ends the run (net/host/orders.c)
//   owners            OWNER_RECORD_MAX of a connection, OWNER_RUN_MAX of all
//   sbx allow, exec   one wish; 16 signals of clients (net/host/control_socket.c)
//   the box's pid 1   one message
//   a report's reader what it takes at once of EVENTS_QUEUE_MAX (report/events.c)
//   answers           what a program says at once, of REPLY_BYTES_MAX (ask/ask.c)
//   refusals          TERMINAL_LINES_A_SECOND lines on a terminal, no wait
//   (report/terminal_lines.c)

// Whether init reaps orphans: a machine's does, a container's may not.
static bool orphans_are_reaped(void)
{
	const ino_t first = 0xeffffffcU; // inode of the initial pid namespace (Linux 3.8)
	struct stat status;
	return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == first;
}

static struct outcome finish(const struct plan *plan, struct run *run, struct outcome outcome)
{
	run->orphans_reaped = orphans_are_reaped();
	// Makes pid 1 the last holder of the mount namespace, which must free it. Pid 1 waits until
	// this process has ended (EOF of the socket): both would compete for a processor.
	fd_close(&run->explained);
	fd_close(&run->user);
	fd_close(&run->view);
	// An empty box ends by itself; any other is killed and waited for.
	if (outcome.kind == OUTCOME_ENDED && run->message.alone && !run->grouped &&
	    run->orphans_reaped)
		run->init = 0;
	walk_undo(plan, run);
	const bool lost = outcome.kind == OUTCOME_INIT_VANISHED;
	bool killed = (lost || outcome.kind == OUTCOME_HOST_FAILED) &&
		      !outcome.found.counts[FINDING_PROTECTION_LOST] &&
		      !outcome.found.counts[FINDING_RETURNS];
	if (killed && ((lost && run->init_signal == SIGKILL) || record_is_killed(run))) {
		outcome.kind = OUTCOME_INIT_KILLED;
		outcome.status = SIGKILL;
	}
	return outcome;
}

struct eyes {
	struct watch watch;
	int64_t begin;
	int64_t delay; // milliseconds until the watch begins; 0: the box is not ready
	bool open;
	struct findings *found;
};

static int sleep_time(const struct eyes *eyes, int limit)
{
	int64_t left = eyes->begin + eyes->delay - steady_now();
	if (eyes->open && eyes->watch.again)
		left = eyes->watch.again - steady_now();
	left = left < 0 ? 0 : left;
	bool waits = !eyes->open && eyes->delay == 0;
	if (waits || (eyes->open && !eyes->watch.again) || (limit >= 0 && limit < left))
		return limit;
	return (int)left;
}

// The delay before the watch grows with the time that making the box took: a machine under load
// takes longer.
static void set_delay(const struct run *run, struct eyes *eyes)
{
	enum { BOX_MILLISECONDS = 8, SLOWER_MAX = 16 };
	int64_t slower = (steady_now() - eyes->begin) / BOX_MILLISECONDS;
	if (run->view >= 0 && eyes->delay == 0)
		eyes->delay = SHORT_RUN_MILLISECONDS * (slower < 1            ? 1
							: slower > SLOWER_MAX ? SLOWER_MAX
									      : slower);
}

static void add_warning(const struct item *item, struct findings *found)
{
	const char *file = item->from.file;
	bool elsewhere = item->from.order == ORDER_ELSEWHERE;
	enum finding_kind kind = elsewhere ? FINDING_ELSEWHERE
				 : file && str_equal(path_name(file), ".sbx.ini")
					 ? FINDING_UNTRUSTED
					 : FINDING_WARNING;
	findings_add(found, kind, elsewhere ? file : "", item->text, "");
}

static void look_last(const struct plan *plan, struct run *run, struct outcome *outcome)
{
	bool done = outcome->kind == OUTCOME_ENDED && outcome->status == 0;
	testing_reach();
	if (outcome->kind == OUTCOME_FAILED)
		journal_end(plan, run);
	else if (plan->place_count > 0)
		check_host(plan, run, &outcome->found);
	due_check(plan, run);
	if (plan->project && !plan->session)
		quarantine_others(plan, wall_now() - steady_now() + run->began, &outcome->found);
	journal_report(run, &outcome->found);
	profiles_remember(plan, &outcome->found);
	refusals_report(plan, run->proxy, &outcome->denials);
	if (plan->learn)
		refusals_used(run->proxy, &outcome->denials);
	refusals_unheard(run->proxy, &outcome->found);
	if (!done)
		refusals_explain(plan, run->proxy, &outcome->found);
	record_note(run, &outcome->found);
	ask_end(run->ask, &outcome->found);
	list_each (item, &plan->warnings)
		add_warning(item, &outcome->found);
}

// Completes the outcome. A limit that ended the run outweighs the command's status.
static void decide_outcome(const struct plan *plan, struct run *run, const struct clock *clock,
			   struct outcome *outcome)
{
	bool by_command = outcome->kind == OUTCOME_ENDED || outcome->kind == OUTCOME_INIT_VANISHED;
	run->group->usage.wall = (uint64_t)(steady_now() - clock->begin);
	usage_read(plan, run);
	guard_bytes(run, &run->group->usage.sent, &run->group->usage.received);
	if (by_command)
		outcome->stop = clock->stop;
	if (outcome->kind == OUTCOME_INIT_VANISHED && run->group->usage.kills > 0)
		outcome->stop = STOP_MEMORY;
	if (outcome->stop != STOP_NONE)
		outcome->kind = OUTCOME_STOPPED;
}

// Sources are handled in this order.
enum event_source {
	MOUNTS,
	NAMES,
	QUESTIONS,
	SIGNALS,
	PARENT,
	PROXY,
	BOX,
	CLIENTS,
	READER,
	ANSWER,
	SOURCES
};

struct loop {
	struct plan *plan;
	struct run *run;
	struct clock clock;
	struct eyes eyes;
	struct outcome outcome;
	struct terminal_lines live;
	struct pollfd events[SOURCES + PROXY_EVENTS_MAX]; // one for each source, then the proxy's
	unsigned proxy_count;
};

static enum run_turn handle_mounts(struct loop *loop, short events)
{
	if (events)
		walls_answer(&loop->eyes.watch, loop->plan, loop->eyes.found);
	return GOES_ON;
}

static enum run_turn handle_names(struct loop *loop, short events)
{
	struct watch *watch = &loop->eyes.watch;
	if (events || (loop->eyes.open && watch->again && steady_now() >= watch->again))
		walls_names(watch, loop->plan, loop->run, loop->eyes.found);
	return GOES_ON;
}

static enum run_turn handle_question(struct loop *loop, short events)
{
	if (events && notify_turn(loop->plan, loop->run, events, &loop->outcome.denials) < 0)
		return run_broken(loop->run, &loop->outcome);
	return GOES_ON;
}

static enum run_turn handle_signals(struct loop *loop, short events)
{
	if (events)
		signals_handle(loop->run);
	return GOES_ON;
}

static enum run_turn handle_parent(struct loop *loop, short events)
{
	if (!events)
		return GOES_ON;
	fd_close(&loop->run->parent);
	if (loop->clock.stop == STOP_NONE)
		clock_end(loop->run, &loop->clock, STOP_PARENT);
	return GOES_ON;
}

static enum run_turn handle_proxy(struct loop *loop, short events)
{
	struct run *run = loop->run;
	(void)events;
	if (proxy_handle(loop->plan, run, loop->events + SOURCES, loop->proxy_count) < 0)
		return run_broken(run, &loop->outcome);
	return GOES_ON;
}

static enum run_turn handle_box(struct loop *loop, short events)
{
	if (!events)
		return GOES_ON;
	explain_take(loop->plan, loop->run, &loop->outcome.denials, steady_now() + EXPLAIN_WAIT);
	return box_messages_take(loop->plan, loop->run, &loop->outcome);
}

static enum run_turn handle_clients(struct loop *loop, short events)
{
	if (events)
		exec_clients_handle(loop->run);
	return GOES_ON;
}

static enum run_turn handle_reader(struct loop *loop, short events)
{
	if (events)
		events_write(loop->run->events);
	return GOES_ON;
}

static enum run_turn handle_answer(struct loop *loop, short events)
{
	(void)events;
	if (ask_turn(loop->plan, loop->run) == 0)
		return GOES_ON;
	return run_broken(loop->run, &loop->outcome);
}

static const struct {
	short events;
	enum run_turn (*handle)(struct loop *loop, short events);
} sources[SOURCES] = {
	[MOUNTS] = { POLLIN, handle_mounts },
	[NAMES] = { POLLIN, handle_names },
	[QUESTIONS] = { POLLIN, handle_question },
	[SIGNALS] = { POLLIN, handle_signals },
	[PARENT] = { POLLIN, handle_parent },
	[PROXY] = { 0, handle_proxy },
	[BOX] = { POLLIN, handle_box },
	[CLIENTS] = { POLLIN | POLLOUT, handle_clients },
	[READER] = { POLLOUT, handle_reader },
	[ANSWER] = { POLLIN, handle_answer },
};

static void wait_for_events(struct loop *loop)
{
	struct run *run = loop->run;
	const int fds[SOURCES] = {
		[MOUNTS] = loop->eyes.watch.mounts,
		[NAMES] = watch_waiting(&loop->eyes.watch),
		[QUESTIONS] = run->has_listener ? run->explained : run->listener,
		[SIGNALS] = run->signals,
		[PARENT] = run->parent,
		[PROXY] = -1,
		[BOX] = run->from_box,
		[CLIENTS] = exec_clients_waiting(run),
		[READER] = events_poll_fd(run->events),
		[ANSWER] = ask_waiting(run),
	};
	int ready;
	do {
		for (int i = 0; i < SOURCES; i++)
			loop->events[i] =
				(struct pollfd){ .fd = fds[i], .events = sources[i].events };
		loop->proxy_count = proxy_events(run->proxy, loop->events + SOURCES);
		int limit = clock_tick(loop->plan, run, &loop->clock);
		if (loop->clock.stop != STOP_NONE)
			ask_leave(run);
		limit = exec_clients_wait(run, proxy_wait(run->proxy, limit));
		ready = poll(
			loop->events, SOURCES + loop->proxy_count,
			ask_wait(run->ask,
				 terminal_lines_wait(&loop->live, sleep_time(&loop->eyes, limit))));
	} while (ready < 0);
}

static bool open_eyes(struct loop *loop)
{
	struct eyes *eyes = &loop->eyes;
	if (eyes->open || eyes->delay == 0 || steady_now() < eyes->begin + eyes->delay)
		return false;
	walls_begin(&eyes->watch, loop->plan, loop->run, eyes->found);
	pages_release_stack();
	eyes->open = true;
	return true;
}

static void report_refusals(struct loop *loop)
{
	struct run *run = loop->run;
	struct denials *denials = &loop->outcome.denials;
	record_turn(run, denials);
	if (loop->plan->learn || (!terminal_lines_wants(&loop->live) && run->events->fd < 0))
		return;
	refusals_new(loop->plan, run->proxy, denials);
	events_queue_denials(run->events, denials);
	terminal_lines_turn(&loop->live, loop->plan, denials, &loop->outcome.found);
}

static enum run_turn take_turn(struct loop *loop)
{
	wait_for_events(loop);
	exec_clients_refused(loop->run,
			     sshagent_refused(loop->run)); // before a new client comes
	// open_eyes() has handled MOUNTS and NAMES in this turn.
	for (enum event_source i = open_eyes(loop) ? QUESTIONS : MOUNTS; i < SOURCES; i++)
		if (sources[i].handle(loop, loop->events[i].revents) == ENDED)
			return ENDED;
	set_delay(loop->run, &loop->eyes);
	report_refusals(loop);
	return GOES_ON;
}

struct outcome supervise(struct plan *plan, struct run *run, int walked)
{
	struct loop loop = { .plan = plan, .run = run, .outcome = { .kind = OUTCOME_FAILED } };
	if (walked < 0) {
		journal_end(plan, run);
		if (record_is_killed(run))
			loop.outcome.kind = OUTCOME_INIT_KILLED, loop.outcome.status = SIGKILL;
		return loop.outcome;
	}
	clock_begin(plan, run, &loop.clock);
	terminal_lines_begin(&loop.live);
	watch_limits_begin(plan, run, steady_now());
	check_prepare(plan, run);
	loop.eyes = (struct eyes){ .watch = { .names = -1, .mounts = -1 },
				   .begin = steady_now(),
				   .found = &loop.outcome.found };
	// If nothing can be watched, only the check at the end remains.
	loop.eyes.open = plan->place_count == 0 || plan->tier == TIER_LANDLOCK;
	if (loop.eyes.open) // otherwise open_eyes() does it
		pages_release_stack();
	enum run_turn turn = GOES_ON;
	if (!hold_reports(plan) && standard_io_release(plan, run) < 0)
		turn = run_broken(run, &loop.outcome);
	while (turn == GOES_ON)
		turn = take_turn(&loop);
	terminal_lines_end(&loop.live);
	walls_end(&loop.eyes.watch); // it holds the box's mount namespace
	exec_clients_end(run);
	ask_leave(run);
	explain_take(plan, run, &loop.outcome.denials, steady_now() + EXPLAIN_WAIT);
	decide_outcome(plan, run, &loop.clock, &loop.outcome);
	proxy_end(plan, run);
	loop.outcome = finish(plan, run, loop.outcome);
	refused_collect(sshagent_refused(run), &loop.outcome.denials);
	keys_report(plan, run, &loop.outcome.denials, &loop.outcome.found);
	look_last(plan, run, &loop.outcome);
	return loop.outcome;
}
