// Owns the sockets of the host's loopback at which ports of a box appear.
#include "net/host/publish.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"

enum { BACKLOG = 4096 };

// -1 with errno.
static int listen_on(const struct sockaddr *address, socklen_t size)
{
	int on = 1;
	autoclose int fd =
		socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    bind(fd, address, size) == 0 && listen(fd, BACKLOG) == 0)
		return take(&fd);
	return -1;
}

static int refuse(const struct publish *publish)
{
	enum { ROOTS = 1024, ELSEWHERE = 8000 }; // net.ipv4.ip_unprivileged_port_start
	unsigned inside = publish->inside, outside = publish->outside;
	struct publish other = { .inside = publish->inside };
	int number = errno;
	autoclose int fd = number == EADDRINUSE ? publish_listen(&other) : -1;
	if (fd >= 0)
		return fail(
			0,
			"port %u is used by another program outside; take a free one: --publish "
			"%u:%u",
			outside, inside, other.outside);
	if (number == EACCES && outside < ROOTS && inside == outside)
		return fail(0, "port %u outside is for root; take another: --publish %u:%u",
			    outside, inside, outside + ELSEWHERE);
	if (number == EACCES && outside < ROOTS)
		return fail(
			0,
			"port %u outside is for root; take another: --publish %u:auto; or, if %u "
			"is the box's port, which comes first: --publish %u:%u",
			outside, inside, outside, outside, inside);
	return fail(number, "publish port %u: port %u; take another: --publish %u:PORT", inside,
		    outside, inside);
}

int publish_listen(struct publish *publish)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(publish->outside) };
	socklen_t size = sizeof(address);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	autoclose int fd = listen_on((const struct sockaddr *)&address, size);
	if (fd < 0)
		return refuse(publish);
	if (publish->inside && !publish->outside) {
		if (getsockname(fd, (struct sockaddr *)&address, &size) < 0)
			return fail(errno, "publish port %u", publish->inside);
		publish->outside = ntohs(address.sin_port);
	}
	return take(&fd);
}

// Many programs take localhost for ::1 first. *ret_fd is -1 where the host has none.
static int listen_on_six(const struct publish *publish, int *ret_fd)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6,
					.sin6_port = htons(publish->outside),
					.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	*ret_fd = listen_on((const struct sockaddr *)&address, sizeof(address));
	return *ret_fd >= 0 || errno != EADDRINUSE ? 0 : refuse(publish);
}

// A free port is free at both addresses; another program may have taken one of them.
int publish_open(struct publish *published, int *ret_four, int *ret_six)
{
	enum { TRIES = 32 };
	bool any = published->outside == 0;
	struct out out = { 0 };
	for (int i = 0; i < TRIES; i++) {
		autoclose int four = publish_listen(published);
		if (four < 0)
			return -1;
		if (listen_on_six(published, ret_six) == 0) {
			*ret_four = take(&four);
			break;
		}
		if (!err_tolerated(any && i + 1 < TRIES))
			return -1;
		published->outside = 0;
	}
	if (any)
		out_text(&out, "sbx: port %u of the box is localhost:%u\n", published->inside,
			 published->outside);
	out_flush(&out, STDERR_FILENO);
	return 0;
}
