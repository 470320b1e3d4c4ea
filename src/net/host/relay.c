// Owns the way to the proxy in tier landlock: the supervisor connects the caller's socket to the
// proxy's listener on the host's loopback, and notes the source port and the destination.
#include "net/host/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "net/host/proxy.h"
#include "net/parse/parse.h"
#include "run.h"

// Of the thread that answers the box; the loop does not wait.
enum { ANSWER_MILLISECONDS = 5000 };

// The listener's address for a socket of this family; with port 0 the socket's own.
static socklen_t fill_relay(int listener, int family, struct sockaddr_storage *relay,
			    uint16_t **ret_port)
{
	struct sockaddr_in v4;
	socklen_t size = sizeof(v4);
	if (getsockname(listener, (struct sockaddr *)&v4, &size) < 0)
		return 0;
	memset(relay, 0, sizeof(*relay));
	if (family == AF_INET) {
		memcpy(relay, &v4, sizeof(v4));
		*ret_port = &((struct sockaddr_in *)relay)->sin_port;
		return sizeof(v4);
	}
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)relay;
	v6->sin6_family = AF_INET6;
	v6->sin6_port = v4.sin_port;
	v6->sin6_addr.s6_addr[10] = v6->sin6_addr.s6_addr[11] = 0xff;
	memcpy(v6->sin6_addr.s6_addr + 12, &v4.sin_addr, 4);
	*ret_port = &v6->sin6_port;
	return sizeof(*v6);
}

// Gives the socket a port and notes it before the connection.
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

// The proxy allows by a byte, or denies by EOF. A late byte would be read as the server's.
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
	socklen_t size = sizeof(own);
	uint16_t *port, listening;
	if (!proxy->shared)
		return -EACCES;
	if (getsockname(socket, (struct sockaddr *)&own, &size) < 0)
		return -errno;
	size = fill_relay(proxy->listeners[0], own.ss_family, &relay, &port);
	if (size == 0)
		return -EACCES;
	listening = *port;
	*port = 0;
	// A socket with a port was connected before: the kernel answers.
	if (bind(socket, (const struct sockaddr *)&relay, size) == 0) {
		int result = announce(proxy, socket, to);
		if (result < 0)
			return result;
	}
	*port = listening;
	return connect_now(socket, (const struct sockaddr *)&relay, size);
}
