// Owns the queue of events and its lines.
#include "report/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "outside/outside.h"
#include "plan.h"
#include "run.h"

enum { END_MILLISECONDS = 1000 };

void events_init(struct events *events)
{
	*events = (struct events){ .fd = -1 };
}

static bool is_kept(const struct plan *plan, int fd)
{
	for (unsigned i = 0; i < plan->keep_count; i++)
		if (plan->keep[i] == fd)
			return true;
	return false;
}

int events_plan(struct plan *plan, const struct invocation *invocation)
{
	const char *number = invocation->status_fd ? invocation->status_fd : invocation->report_fd;
	plan->event_status = invocation->status_fd != NULL;
	plan->event_option = plan->event_status ? "status-fd" : "report-fd";
	if (invocation->status_fd && invocation->report_fd)
		return fail(0, "--report-fd and --status-fd cannot be given together");
	if (!number)
		return 0;
	int fd = atoi(number);
	int flags = fcntl(fd, F_GETFD), mode = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & FD_CLOEXEC))
		return fail(0, "--%s: descriptor %d is not open", plan->event_option, fd);
	if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY)
		return fail(0, "--%s: descriptor %d is not open for writing", plan->event_option,
			    fd);
	if (is_kept(plan, fd))
		return fail(
			0,
			"descriptor %d is for the command by --preserve-fd; --%s needs another one",
			fd, plan->event_option);
	plan->event_fd = fd;
	return 0;
}

int events_host(const struct plan *plan, struct run *run)
{
	return event_place(plan, &run->events->fd, &run->events->socket);
}

static void begin(struct out *out, const char *event)
{
	char stamp[TIMES_STAMP];
	times_stamp(wall_now(), stamp);
	json_begin(out, "event");
	json_string(out, "event", event);
	json_string(out, "time", stamp);
	json_number(out, "run", (unsigned)getpid());
}

static void add_start(struct out *out, const struct run *run)
{
	begin(out, "started");
	json_number(out, "child-pid", (unsigned)run->init);
	json_end(out);
}

static void add_denial(struct out *out, const struct denial *denial)
{
	begin(out, "denied");
	denied_members(denial, out);
	json_end(out);
}

static void add_limit(struct out *out, const struct hit *hit)
{
	begin(out, "limit");
	json_string(out, "name", hit->key);
	json_number(out, "limit", hit->limit);
	json_string(out, "what", hit->what);
	json_end(out);
}

static void add_exit(struct out *out, const struct saying *saying)
{
	begin(out, "exit");
	json_string(out, "end", summary_end(saying->outcome));
	json_number(out, "status", (unsigned)saying->status);
	if (saying->plan->event_status)
		json_number(out, "exit-code", (unsigned)saying->status);
	json_number(out, "lost", saying->run->events->lost);
	json_end(out);
}

// Stops writing. EPIPE is no problem: the reader has gone.
static void give_up(struct events *events, int problem)
{
	events->problem = problem == EPIPE ? 0 : problem;
	fd_close(&events->fd);
	out_free(&events->queue);
	events->queue_sent = 0;
}

static ssize_t write_some(const struct events *events, const char *bytes, size_t length)
{
	if (!events->socket)
		return write(events->fd, bytes, length);
	const char *end = memchr(bytes, '\n', length);
	return send(events->fd, bytes, end ? (size_t)(end + 1 - bytes) : length,
		    MSG_DONTWAIT | MSG_NOSIGNAL);
}

void events_write(struct events *events)
{
	while (events->fd >= 0 && events->queue_sent < events->queue.used) {
		ssize_t got = write_some(events, events->queue.text + events->queue_sent,
					 events->queue.used - events->queue_sent);
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS))
			return;
		if (got < 0 && errno != EINTR) {
			give_up(events, errno);
			return;
		}
		events->queue_sent += got > 0 ? (size_t)got : 0;
	}
	events->queue.used = events->queue_sent = 0;
}

int events_poll_fd(const struct events *events)
{
	return events->queue_sent < events->queue.used ? events->fd : -1;
}

static void append(struct events *events, const struct out *line)
{
	if (events->queue_sent > 0) {
		events->queue.used -= events->queue_sent;
		memmove(events->queue.text, events->queue.text + events->queue_sent,
			events->queue.used);
		events->queue_sent = 0;
	}
	out_bytes(&events->queue, line->text, line->used);
}

void events_queue_denials(struct events *events, const struct denials *denials)
{
	if (events->fd < 0 || events->denials_written == denials->count)
		return;
	for (; events->denials_written < denials->count; events->denials_written++) {
		struct out line = { 0 };
		add_denial(&line, &denials->all[events->denials_written]);
		if (events->queue.used - events->queue_sent + line.used > EVENTS_QUEUE_MAX)
			events->lost++;
		else
			append(events, &line);
		out_free(&line);
	}
	events_write(events);
}

void events_command_started(const struct plan *plan, const struct run *run)
{
	struct out line = { 0 };
	if (!plan->event_status || run->events->fd < 0)
		return;
	add_start(&line, run);
	append(run->events, &line);
	out_free(&line);
	events_write(run->events);
}

static void drain(struct events *events, int milliseconds)
{
	int64_t end = steady_now() + milliseconds;
	for (events_write(events); events_poll_fd(events) >= 0; events_write(events)) {
		struct pollfd event = { .fd = events->fd, .events = POLLOUT };
		int64_t left = end - steady_now();
		if (left <= 0 || poll(&event, 1, (int)left) < 0)
			return;
		if (event.revents & (POLLERR | POLLHUP | POLLNVAL))
			give_up(events, EPIPE);
	}
}

void events_end(const struct saying *saying, struct out *said)
{
	const struct plan *plan = saying->plan;
	struct events *events = saying->run->events;
	struct out lines = { 0 };
	events_queue_denials(events, &saying->outcome->denials);
	if (events->fd >= 0) {
		drain(events, END_MILLISECONDS / 2);
		for (int i = 0; i < saying->count; i++)
			if (!saying->hits[i].of_machine)
				add_limit(&lines, &saying->hits[i]);
		if (!plan->event_status)
			summary_json(saying, &lines);
		add_exit(&lines, saying);
	}
	if (events->fd >= 0) {
		append(events, &lines);
		drain(events, END_MILLISECONDS / 2);
	}
	out_free(&lines);
	if (events_poll_fd(events) >= 0)
		out_text(said, "sbx: the end of the report was not read in time, and is lost\n");
	if (events->problem)
		out_text(said, "sbx: the report could not be written: %s\n",
			 strerror(events->problem));
	fd_close(&events->fd);
	out_free(&events->queue);
	if (plan->event_fd)
		close(plan->event_fd);
}
