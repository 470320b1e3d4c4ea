// Owns the way to the proxy in tier landlock: the supervisor connects a box's socket to the proxy's
// listener.

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "net/host/proxy.h"
#include "net/parse/parse.h"
#include "run.h"

// The thread that answers the box waits so long, not the supervisor's loop.
enum { ANSWER_MILLISECONDS = 5000 };

// `port` 0 makes an address for bind(2).
static socklen_t fill_relay(const struct address *listener, uint16_t port, int family,
			    struct sockaddr_storage *relay)
{
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	if (family == AF_INET)
		return sockaddr_fill(listener, port, relay);
	memcpy(&v6.sin6_addr, listener, sizeof(v6.sin6_addr)); // ::ffff:127.0.0.1
	memcpy(relay, &v6, sizeof(v6));
	return sizeof(v6);
}

// Notes the destination by the socket's source port, before the connection.
static int announce(struct proxy *proxy, int socket, const struct sockaddr_storage *to)
{
	struct sockaddr_storage own;
	struct address ignored;
	socklen_t size = sizeof(own);
	uint16_t port;
	if (getsockname(socket, (struct sockaddr *)&own, &size) < 0)
		return -errno;
	sockaddr_read(&own, &ignored, &port);
	struct target *target = &proxy->shared->targets[port];
	sockaddr_read(to, &target->address, &target->port);
	atomic_store_explicit(&target->set, true, memory_order_release);
	return 0;
}

// Waits for the proxy's byte, which allows. Else shuts down: a later byte would look like the
// server's.
static int hear(int socket)
{
	struct pollfd event = { .fd = socket, .events = POLLIN };
	char allowed;
	if (poll(&event, 1, ANSWER_MILLISECONDS) > 0 &&
	    recv(socket, &allowed, 1, MSG_DONTWAIT) == 1)
		return 0;
	shutdown(socket, SHUT_RDWR);
	return -ECONNREFUSED;
}

static int connect_now(int socket, const struct sockaddr *to, socklen_t size)
{
	int flags = fcntl(socket, F_GETFL);
	if (flags < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	int problem = connect(socket, to, size) < 0 ? errno : 0;
	fcntl(socket, F_SETFL, flags);
	return problem && problem != EINPROGRESS ? -problem : hear(socket);
}

int relay_connect(const struct run *run, int socket, const struct sockaddr_storage *to)
{
	struct proxy *proxy = run->proxy;
	struct sockaddr_storage own, relay;
	struct address listener;
	socklen_t size = sizeof(own);
	uint16_t port;
	if (!proxy->shared)
		return -EACCES;
	if (getsockname(socket, (struct sockaddr *)&own, &size) < 0)
		return -errno;
	size = sizeof(relay);
	if (getsockname(proxy->listeners[0], (struct sockaddr *)&relay, &size) < 0)
		return -EACCES;
	sockaddr_read(&relay, &listener, &port);
	size = fill_relay(&listener, 0, own.ss_family, &relay);
	// bind() fails if the socket was connected before: connect() then gives the kernel's error.
	if (bind(socket, (const struct sockaddr *)&relay, size) == 0) {
		int result = announce(proxy, socket, to);
		if (result < 0)
			return result;
	}
	fill_relay(&listener, port, own.ss_family, &relay);
	return connect_now(socket, (const struct sockaddr *)&relay, size);
}
