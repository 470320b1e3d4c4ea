// Owns the talk with the user's service manager (org.freedesktop.systemd1(5)), by its socket or the
// user's bus. Sends all requests at once, and reads the answers later.
#include "limits/group.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"
#include "run.h"

enum { SERIAL_HELLO = 1, SERIAL_SCOPE };
enum { WAIT_MILLISECONDS = 5000, BUFFER_MAX = 8192 };

int manager_open(enum bus *ret_bus)
{
	static const char *const names[BUSES] = { "systemd/private", "bus" };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *directory = getenv("XDG_RUNTIME_DIR");
	char own[64];
	snprintf(own, sizeof(own), "/run/user/%u", (unsigned)geteuid());
	directory = directory && directory[0] == '/' ? directory : own;
	for (*ret_bus = BUS_MANAGER; *ret_bus < BUSES; ++*ret_bus) {
		autoclose int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd >= 0 &&
		    str_put(address.sun_path, sizeof(address.sun_path), "%s/%s", directory,
			    names[*ret_bus]) &&
		    connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
		    fcntl(fd, F_SETFL, 0) == 0)
			return take(&fd);
	}
	return -1;
}

static int greet_manager(enum bus *ret_bus)
{
	char hello[96], hex[32] = "", uid[16];
	autoclose int fd = manager_open(ret_bus);
	if (fd < 0)
		return fail(0, "the manager of your services does not answer any more");
	snprintf(uid, sizeof(uid), "%u", (unsigned)geteuid());
	for (size_t i = 0; uid[i]; i++)
		snprintf(hex + 2 * i, sizeof(hex) - 2 * i, "%02x", (unsigned)uid[i]);
	int length = snprintf(hello, sizeof(hello), "%cAUTH EXTERNAL %s\r\nBEGIN\r\n", '\0', hex);
	if (fd_write_all(fd, hello, (size_t)length) < 0)
		return fail(errno, "the manager of your services");
	return take(&fd);
}

static int send_message(int fd, struct bus_message *message)
{
	bus_finish(message);
	if (message->full)
		return fail(0, "the message to the manager of your services is too long");
	return fd_write_all(fd, message->bytes, message->used) < 0
		       ? fail(errno, "ask the manager of your services")
		       : 0;
}

static void put_limits(struct bus_message *message, const struct plan *plan)
{
	for (const struct setting *row = limit_files; row->file; row++)
		if (row->property && (plan->keeping.held & row->bit))
			bus_put(message, "(sgt", row->property, "t",
				settings_limit(plan, row->offset) * row->factor);
}

int scope_ask(const struct plan *plan, struct run *run)
{
	struct group *group = run->group;
	struct bus_message message;
	enum bus bus;
	struct timespec now;
	autoclose int fd = greet_manager(&bus);
	if (fd < 0)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(group->name, sizeof(group->name), "sbx-%d-%lx.scope", (int)run->init,
		 (unsigned long)now.tv_nsec);
	if (bus == BUS_DAEMON) {
		bus_call(&message, SERIAL_HELLO, "org.freedesktop.DBus", "/org/freedesktop/DBus",
			 "org.freedesktop.DBus", "Hello", NULL);
		TRY(send_message(fd, &message));
	}
	bus_call(&message, SERIAL_SCOPE, bus == BUS_DAEMON ? "org.freedesktop.systemd1" : NULL,
		 "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
		 "StartTransientUnit", "ssa(sv)a(sa(sv))");
	bus_put(&message, "ss", group->name, "fail");
	size_t properties = bus_open(&message);
	bus_put(&message, "(sgs", "Description", "s", "a box of sbx");
	bus_put(&message, "(sgs", "CollectMode", "s", "inactive-or-failed");
	bus_put(&message, "(sguu", "PIDs", "au", (uint32_t)sizeof(uint32_t), (uint32_t)run->init);
	put_limits(&message, plan);
	bus_close(&message, properties);
	bus_close(&message, bus_open(&message));
	TRY(send_message(fd, &message));
	group->manager = take(&fd);
	return 0;
}

// Returns the length of the answer to the authentication: the line OK.
static size_t skip_words(const uint8_t *bytes, size_t length)
{
	const uint8_t *end = length > 3 && memcmp(bytes, "OK ", 3) == 0
				     ? memmem(bytes, length, "\r\n", 2)
				     : NULL;
	return end ? (size_t)(end - bytes) + 2 : 0;
}

static int read_answer(const struct bus_reply *reply)
{
	if (reply->kind == BUS_ERROR)
		return fail(0, "the manager of your services refuses: %s", reply->error);
	return reply->kind == BUS_RETURN && reply->serial == SERIAL_SCOPE;
}

static int wait_for_answer(int fd)
{
	static uint8_t buffer[BUFFER_MAX];
	size_t used = 0;
	bool greeted = false;
	for (;;) {
		struct pollfd event = { .fd = fd, .events = POLLIN };
		struct bus_reply reply;
		int whole;
		if (poll(&event, 1, WAIT_MILLISECONDS) <= 0)
			return fail(ETIMEDOUT, "the manager of your services");
		ssize_t got = read(fd, buffer + used, sizeof(buffer) - used);
		if (got <= 0)
			return fail(got < 0 ? errno : EPIPE, "the manager of your services");
		used += (size_t)got;
		if (!greeted) {
			size_t words = skip_words(buffer, used);
			greeted = words > 0;
			used -= words;
			memmove(buffer, buffer + words, used);
		}
		while (greeted && (whole = bus_reply(buffer, used, &reply)) != 0) {
			if (whole < 0)
				return fail(EPROTO, "the manager of your services");
			int done = read_answer(&reply);
			if (done != 0)
				return done < 0 ? -1 : 0;
			used -= reply.used;
			memmove(buffer, buffer + reply.used, used);
		}
	}
}

// Waits until the process is in its scope: systemd answers before it has moved the process.
int scope_wait(const struct plan *plan, struct run *run)
{
	const struct timespec moment = { .tv_nsec = 200000 };
	struct group *group = run->group;
	char file[64], text[4096], path[PATH_MAX], place[PATH_MAX + 32];
	int answered = wait_for_answer(group->manager);
	fd_close(&group->manager);
	TRY(answered);
	snprintf(file, sizeof(file), "/proc/%d/cgroup", (int)run->init);
	for (int i = 0; i < WAIT_MILLISECONDS * 5; i++) {
		size_t length = file_kernel(AT_FDCWD, file, text, sizeof(text));
		if (!text_group(text, length, "", path, sizeof(path)) ||
		    !strstr(path, group->name)) {
			nanosleep(&moment, NULL);
			continue;
		}
		str_put(place, sizeof(place), "/sys/fs/cgroup%s", path);
		group->own[HIERARCHY_ONE] = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (group->own[HIERARCHY_ONE] < 0)
			return fail(errno, "%s", place);
		if (plan->keeping.held & LIMIT_BIT(memory))
			fd_write_file(group->own[HIERARCHY_ONE], "memory.oom.group", "1");
		return 0;
	}
	return fail(ETIMEDOUT, "the scope '%s'", group->name);
}
