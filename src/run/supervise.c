// Owns the supervisor's loop. It parses nothing but fixed-size messages of our own pid 1.
#include "run/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/sys.h"
#include "guard/check.h"
#include "guard/watch.h"
#include "jail/notify.h"
#include "net/proxy.h"
#include "plan.h"
#include "run.h"
#include "run/walk.h"

// How long the command has to end by itself after the time limit's SIGTERM.
enum { GRACE_MILLISECONDS = 2000 };

int supervise_signals(const struct plan *plan, struct run *run)
{
	(void)plan;
	struct sigaction action, standard = { .sa_handler = SIG_DFL };
	sigset_t all;
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, &run->callers_mask) < 0)
		return fail(errno, "sigprocmask");
	// With SIGCHLD ignored the kernel would throw exit statuses away.
	if (sigaction(SIGCHLD, &standard, &action) < 0)
		return fail(errno, "sigaction");
	run->child_ignored = action.sa_handler == SIG_IGN;
	run->signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	return run->signals < 0 ? fail(errno, "signalfd") : 0;
}

static int release(const struct plan *plan)
{
	autoclose int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return fail(errno, "/dev/null");
	if (dup2(null, 0) < 0 || dup2(null, 1) < 0)
		return fail(errno, "dup2");
	for (unsigned i = 0; i < plan->keep_count; i++)
		close(plan->keep[i]);
	return 0;
}

// A run that may fall back to a lower tier still needs them, until the box stands.
static bool may_fall_back(const struct plan *plan)
{
	return plan->tier == TIER_FULL && plan->profile->minimum == TIER_LANDLOCK;
}

int supervise_release(const struct plan *plan, struct run *run)
{
	(void)run;
	return may_fall_back(plan) ? 0 : release(plan);
}

static void send_inside(const struct run *run, int number)
{
	siginfo_t info = { 0 };
	info.si_signo = number;
	info.si_code = SI_QUEUE; // pid 1 forwards these and no others
	sys_pidfd_send_signal(run->pidfd, number, &info);
}

// A terminal sends its signals to the whole group, the command included; those of other
// programs reach only us and are handed on.
static void handle_signals(const struct run *run)
{
	struct signalfd_siginfo info;
	while (read(run->signals, &info, sizeof(info)) == sizeof(info)) {
		int number = (int)info.ssi_signo;
		bool terminal = info.ssi_code == SI_KERNEL && !run->own_session;
		if (number != SIGCHLD && number != SIGPIPE && !terminal)
			send_inside(run, number);
	}
}

static int64_t milliseconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

struct clock {
	int64_t end; // -1: none
	bool expired;
};

// The command stopped: so do we, for the shell to see; when continued, so is the command. Without
// a terminal nobody would continue us, and others in the box run on: then we stay awake.
static void stop_like_command(const struct run *run, const struct clock *clock)
{
	struct sigevent wake = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT };
	timer_t timer;
	if (run->own_session)
		return;
	// A stopped supervisor must not stop the clock: at the limit the kernel continues it.
	if (clock->end >= 0) {
		struct itimerspec at = { .it_value = { .tv_sec = clock->end / 1000,
						       .tv_nsec = clock->end % 1000 * 1000000 } };
		if (timer_create(CLOCK_MONOTONIC, &wake, &timer) < 0 ||
		    timer_settime(timer, TIMER_ABSTIME, &at, NULL) < 0)
			return;
	}
	kill(getpid(), SIGSTOP);
	if (clock->end >= 0)
		timer_delete(timer);
	send_inside(run, SIGCONT);
}

// How long to sleep; at the limit first SIGTERM, after the grace SIGKILL.
static int tick(const struct run *run, struct clock *clock)
{
	if (clock->end < 0)
		return -1;
	int64_t left = clock->end - milliseconds();
	if (left > 0)
		return left > 1 << 30 ? 1 << 30 : (int)left;
	if (clock->expired) {
		sys_pidfd_send_signal(run->pidfd, SIGKILL, NULL);
		clock->end = -1;
		return -1;
	}
	clock->expired = true;
	send_inside(run, SIGTERM);
	send_inside(run, SIGCONT);
	clock->end = milliseconds() + GRACE_MILLISECONDS;
	return GRACE_MILLISECONDS;
}

static struct outcome finish(const struct plan *plan, struct run *run, struct outcome outcome)
{
	// An empty box may be left to end by itself; anything else is killed and waited for.
	if (outcome.kind == OUTCOME_ENDED && run->message.alone)
		run->init = 0;
	// The last to close these pays for the end of the view: that need not be us.
	fd_close(&run->user);
	fd_close(&run->view);
	walk_undo(plan, run);
	return outcome;
}

// Returns false while the run goes on.
static bool handle_message(const struct plan *plan, struct run *run, const struct clock *clock,
			   struct outcome *outcome)
{
	struct message *message = &run->message;
	int fds[FD_PASSED];
	unsigned count;
	ssize_t got = fd_receive(run->from_box, message, sizeof(*message), fds);
	message->text[sizeof(message->text) - 1] = '\0';
	outcome->kind = OUTCOME_LOST;
	if (got != (ssize_t)sizeof(*message))
		return true;
	switch (message->kind) {
	case MESSAGE_LISTENER:
		run->listener = fds[0];
		return false;
	case MESSAGE_HELD:
		run->user = fds[0];
		run->view = fds[1];
		run->copies = fds[2];
		return may_fall_back(plan) && release(plan) < 0;
	case MESSAGE_LISTENING:
		proxy_listeners(run->proxy, fds, FD_PASSED, message->number != 0);
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
		stop_like_command(run, clock);
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
	bool open;
	struct out told, changed;
};

// Poll's time-out: the limit's, or until the eyes are opened.
static int sleep_time(const struct eyes *eyes, int limit)
{
	enum { AGAIN_MILLISECONDS = 5 }; // a box that is not ready by then
	int64_t left = eyes->begin + SHORT_RUN_MILLISECONDS - milliseconds();
	left = left < AGAIN_MILLISECONDS ? AGAIN_MILLISECONDS : left;
	if (eyes->open || (limit >= 0 && limit < left))
		return limit;
	return (int)left;
}

static void look(const struct plan *plan, const struct run *run, struct eyes *eyes,
		 const struct pollfd *events)
{
	if (!eyes->open && milliseconds() >= eyes->begin + SHORT_RUN_MILLISECONDS && run->view >= 0) {
		watch_begin(&eyes->watch, plan, run, &eyes->told);
		eyes->open = true;
		return;
	}
	if (events[2].revents)
		watch_mounts(plan, run, &eyes->told);
	if (events[3].revents)
		watch_names(&eyes->watch, plan, run, &eyes->told);
}

// When the last process is dead: the box can change nothing any more.
static void look_last(const struct plan *plan, const struct run *run, struct eyes *eyes,
		      const struct outcome *outcome)
{
	bool done = outcome->kind == OUTCOME_ENDED && outcome->status == 0;
	struct out heading = { 0 };
	watch_end(&eyes->watch);
	if (plan->guard_count > 0)
		check_host(plan, run, milliseconds() - eyes->begin, done ? COMMAND_DONE : COMMAND_FAILED,
			   &eyes->told, &eyes->changed);
	proxy_report(run->proxy, &eyes->told);
	if (!done)
		proxy_explain(run->proxy, &eyes->told);
	list_each(item, &plan->warnings)
		out_text(&eyes->told, "sbx: %s\n", item->text);
	out_flush(&eyes->told, STDERR_FILENO);
	if (eyes->changed.used && !plan->terse) {
		out_text(&heading, "sbx: changed, and your own programs will run it: %s\n",
			 eyes->changed.text);
		out_flush(&heading, STDERR_FILENO);
	}
	out_free(&eyes->changed);
}

enum { OWN_EVENTS = 5 };

struct outcome supervise(const struct plan *plan, struct run *run)
{
	struct outcome outcome = { .kind = OUTCOME_FAILED };
	uint64_t limit = plan->profile->limits.time;
	struct clock clock = { .end = limit == UNLIMITED ? -1 : milliseconds() + (int64_t)limit };
	if (walk_host(plan, run) < 0)
		return outcome;
	struct eyes eyes = { .watch = { -1, -1, 0 }, .begin = milliseconds() };
	// Nothing to look at, or no way to: then only the last look is left.
	eyes.open = plan->guard_count == 0 || plan->tier == TIER_LANDLOCK;
	for (bool ended = false; !ended;) {
		struct pollfd events[OWN_EVENTS + PROXY_EVENTS_MOST] = {
			{ .fd = run->from_box, .events = POLLIN },
			{ .fd = run->signals, .events = POLLIN },
			{ .fd = eyes.watch.mounts, .events = POLLPRI },
			{ .fd = eyes.watch.names, .events = POLLIN },
			{ .fd = run->listener, .events = POLLIN },
		};
		unsigned others = proxy_events(run->proxy, events + OWN_EVENTS);
		int ready = poll(events, OWN_EVENTS + others, sleep_time(&eyes, tick(run, &clock)));
		if (ready < 0)
			continue;
		look(plan, run, &eyes, events);
		if (events[4].revents & POLLIN)
			notify_answer(plan, run);
		else if (events[4].revents) // nobody is left to ask
			fd_close(&run->listener);
		if (events[1].revents)
			handle_signals(run);
		if (proxy_handle(plan, run, events + OWN_EVENTS, others) < 0) {
			outcome.kind = OUTCOME_NO_PROXY;
			snprintf(run->message.text, sizeof(run->message.text), "%s", err_text());
			break;
		}
		if (events[0].revents)
			ended = handle_message(plan, run, &clock, &outcome);
	}
	bool by_command = outcome.kind == OUTCOME_ENDED || outcome.kind == OUTCOME_LOST;
	if (clock.expired && by_command)
		outcome.kind = OUTCOME_TIMEOUT;
	proxy_end(plan, run);
	outcome = finish(plan, run, outcome);
	look_last(plan, run, &eyes, &outcome);
	return outcome;
}
