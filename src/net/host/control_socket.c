// Owns the messages between sbx allow, exec and others and a run.
#include "net/host/control_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "boxes/record.h"
#include "net/host/destinations.h"
#include "net/host/proxy.h"
#include "plan.h"
#include "run.h"

enum { WISH_MILLISECONDS = 100, CLIENTS_WAITING = 128 };

struct control_wish {
	struct control_head head;
	enum { WISH_ALLOW, WISH_DENY, WISH_EXECUTE, WISH_ATTACH, WISH_PUBLISH } kind;
	struct terminal_wish terminal;
	char destination[RULE_TEXT_MAX];
};

struct control_answer {
	struct control_head head;
	int number; // an errno, or 0
};

// unix(7): sun_path has 108 bytes. The record's path may be longer.
static struct sockaddr_un address_of(int record)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/" RECORD_SOCKET,
		 record);
	return address;
}

// False for a client in a box. A second check: no box sees the socket.
static bool is_outside(pid_t pid)
{
	char path[64];
	struct stat ours, theirs;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	return pid > 0 && stat("/proc/self/ns/user", &ours) == 0 && stat(path, &theirs) == 0 &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

static bool is_own(int fd, pid_t wanted)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       peer.uid == geteuid() && (wanted == 0 ? is_outside(peer.pid) : peer.pid == wanted);
}

static void reply(int fd, int number, int handed)
{
	struct control_answer answer = { { CONTROL_NAME, CONTROL_VERSION }, number };
	fd_send_now(fd, &answer, sizeof(answer), &handed, handed >= 0);
}

int control_socket_listen(int record)
{
	struct sockaddr_un address = address_of(record);
	autoclose int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, CLIENTS_WAITING) < 0)
		return -1;
	return take(&fd);
}

// Returns 0 or an errno.
static int add(struct proxy *proxy, const struct control_wish *wish)
{
	struct destination destination;
	struct list *list = wish->kind == WISH_ALLOW ? &proxy->more_allow : &proxy->more_deny;
	if (memchr(wish->destination, '\0', sizeof(wish->destination)) == NULL ||
	    !destination_parse(wish->destination, &destination) ||
	    (destination.suffix && wish->kind != WISH_ALLOW))
		return EINVAL;
	if (list_count(list) == RULES_ADDED_MAX)
		return ENOSPC;
	if (!proxy->words)
		proxy->words = arena_new();
	list_add(list, proxy->words,
		 arena_copy(proxy->words, wish->destination, strlen(wish->destination)),
		 (struct origin){ .file = "sbx allow" });
	return 0;
}

static int publish(const struct plan *plan, struct run *run, const struct control_wish *wish,
		   int fds[FD_PASSED])
{
	struct publish port;
	if (memchr(wish->destination, '\0', sizeof(wish->destination)) == NULL ||
	    !destination_publish(wish->destination, &port.inside, &port.outside))
		return EINVAL;
	if (!plan->egress.on || !plan->own_network)
		return EOPNOTSUPP;
	return doors_publish(run, &port, fds);
}

int control_socket_add(struct proxy *proxy, const char *destination)
{
	struct control_wish wish = { .kind = WISH_ALLOW };
	if (!str_put(wish.destination, sizeof(wish.destination), "%s", destination))
		return EINVAL;
	return add(proxy, &wish);
}

bool control_socket_take(const struct plan *plan, struct run *run)
{
	struct control_wish wish = { 0 };
	int fds[FD_PASSED];
	autoclose int fd = accept4(run->proxy->control, NULL, NULL, SOCK_CLOEXEC);
	struct pollfd event = { .fd = fd, .events = POLLIN };
	// A client that hung up has reported a failure: ignores its wish.
	if (fd < 0 || !is_own(fd, 0) || poll(&event, 1, WISH_MILLISECONDS) <= 0 ||
	    (event.revents & POLLHUP))
		return false;
	ssize_t got = fd_receive_now(fd, &wish, sizeof(wish), fds);
	bool known = got == (ssize_t)sizeof(wish) && control_is_known(&wish.head);
	if (known && wish.kind == WISH_EXECUTE) {
		run->execute(plan, run, &wish.terminal, take(&fd), fds);
		// Each sbx exec renews the time for searches of socket owners.
		if (run->proxy->connections)
			run->proxy->connections->who.run_spent = 0;
		return false;
	}
	bool rule = wish.kind == WISH_ALLOW || wish.kind == WISH_DENY;
	bool attach = known && wish.kind == WISH_ATTACH;
	int number = !known                      ? EPROTO
		     : attach                    ? (run->pty >= 0 ? 0 : ENOTTY)
		     : wish.kind == WISH_PUBLISH ? publish(plan, run, &wish, fds)
		     : plan->egress.on && rule   ? add(run->proxy, &wish)
						 : EOPNOTSUPP;
	for (unsigned i = 0; i < FD_PASSED; i++)
		fd_close(&fds[i]);
	reply(fd, number, attach ? run->pty : -1);
	return number == 0 && rule;
}

static int connect_to(int record, pid_t run)
{
	struct sockaddr_un address = address_of(record);
	struct timeval most = { .tv_sec = CONTROL_MILLISECONDS / 1000 };
	autoclose int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 || !is_own(fd, run))
		return -1;
	return take(&fd);
}

// Sends again if the run hung up (EPIPE), as it may on a busy machine.
static int send_wish(int record, pid_t run, struct control_wish *wish, const int *fds,
		     unsigned count)
{
	int64_t end = steady_now() + CONTROL_MILLISECONDS;
	wish->head = (struct control_head){ CONTROL_NAME, CONTROL_VERSION };
	do {
		autoclose int fd = connect_to(record, run);
		if (fd < 0)
			return -1;
		if (fd_send(fd, wish, sizeof(*wish), fds, count) == 0)
			return take(&fd);
	} while (errno == EPIPE && steady_now() < end);
	return -1;
}

int control_socket_unknown(pid_t run, bool answered)
{
	if (!answered)
		return fail(0,
			    "run %d does not answer: an older version of sbx started it, or this "
			    "is another user namespace; to end it: sbx stop %d",
			    (int)run, (int)run);
	return fail(0,
		    "run %d was started by another version of sbx, which this one cannot speak to; "
		    "to end it: sbx stop %d; or use that version",
		    (int)run, (int)run);
}

// Returns an errno, 0, or -1 after fail(). *ret_fd may be -1.
static int ask(int record, pid_t run, struct control_wish *wish, const int *given, int *ret_fd)
{
	struct control_answer answer = { 0 };
	int fds[FD_PASSED];
	unsigned count = !given || given[0] < 0 ? 0 : given[1] < 0 ? 1 : 2;
	autoclose int fd = send_wish(record, run, wish, given, count);
	struct pollfd event = { .fd = fd, .events = POLLIN };
	if (fd < 0 || poll(&event, 1, CONTROL_MILLISECONDS) <= 0)
		return fail(0, "run %d does not answer", (int)run);
	ssize_t got = fd_receive_now(fd, &answer, sizeof(answer), fds);
	*ret_fd = take(&fds[0]);
	for (int i = 1; i < FD_PASSED; i++)
		fd_close(&fds[i]);
	if (got != (ssize_t)sizeof(answer) || !control_is_known(&answer.head) ||
	    answer.number < 0) {
		fd_close(ret_fd);
		return control_socket_unknown(run, got > 0);
	}
	return answer.number;
}

int control_socket_attach(int record, pid_t run)
{
	struct control_wish wish = { .kind = WISH_ATTACH };
	int master;
	TRY(ask(record, run, &wish, NULL, &master));
	return master >= 0 ? master
			   : fail(0,
				  "run %d has no terminal, which run -d -t gives a command; to see "
				  "its output: sbx logs -f %d",
				  (int)run, (int)run);
}

int control_socket_tell(int record, pid_t run, const char *word, const char *destination)
{
	struct control_wish wish = { .kind = str_equal(word, "allow") ? WISH_ALLOW : WISH_DENY };
	if (strlen(destination) >= sizeof(wish.destination))
		return fail(0, "'%.40s' is too long", destination);
	memcpy(wish.destination, destination, strlen(destination));
	autoclose int nothing = -1;
	int number = ask(record, run, &wish, NULL, &nothing);
	return number > 0 ? fail(number, "run %d refused '%s'", (int)run, destination) : number;
}

int control_socket_publish(int record, pid_t run, const struct publish *port, const int sockets[2])
{
	struct control_wish wish = { .kind = WISH_PUBLISH };
	autoclose int nothing = -1;
	snprintf(wish.destination, sizeof(wish.destination), "%u:%u", port->inside,
		 port->outside ? port->outside : port->inside);
	int number = ask(record, run, &wish, sockets, &nothing);
	TRY(number);
	switch (number) {
	case 0:
		return 0;
	case EEXIST:
		return fail(0,
			    "port %u of run %d is published already; to end that: sbx publish "
			    "--off %d %u",
			    port->inside, (int)run, (int)run, port->inside);
	case ENOENT:
		return fail(0, "port %u of run %d is not published", port->inside, (int)run);
	case ENOSPC:
		return fail(0, "run %d has %d published ports, no more are possible", (int)run,
			    DOORS_MAX);
	case EOPNOTSUPP:
		return fail(0,
			    "run %d has no separate network behind the proxy, so that no port "
			    "of it can be published",
			    (int)run);
	default:
		return fail(number, "publish port %u", port->inside);
	}
}

int control_socket_execute(const struct record *record, pid_t run,
			   const struct terminal_wish *terminal, const int fds[FD_PASSED])
{
	struct control_wish wish = { .kind = WISH_EXECUTE, .terminal = *terminal };
	struct record_entry entry;
	autoclose int fd =
		send_wish(record->directory, run, &wish, fds, terminal->wanted ? 1 : FD_PASSED);
	int number = fd < 0 ? errno : 0;
	bool ended = number == ECONNREFUSED ||
		     (number == ENOENT &&
		      (!record_read(record->lock, &entry) || entry.end != RECORD_LIVES));
	if (ended)
		return fail(0, "run %d has ended; the command was not run", (int)run);
	if (number == ENOENT)
		return fail(0,
			    "run %d takes no further command; one with -d, in a session or with "
			    "network mode proxy does",
			    (int)run);
	return fd < 0 ? fail(0, "run %d does not answer; the command was not run", (int)run)
		      : take(&fd);
}
