// Owns the making of the box's network: lo, one address, a local default route (AnyIP), one TPROXY
// rule for each family (Documentation/networking/tproxy.rst).
#include "net/setup/netns.h"

#include <errno.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "plan.h"
#include "run.h"

enum { SEQUENCE_V4_LAST = 3, SEQUENCE_LINKS_LAST = 5, SEQUENCE_RULES_LAST = 4, BACKLOG = 4096 };

// The helper shares memory and descriptors with pid 1: a copy would cost 0.1 ms. It uses only this
// struct, its stack, and raw calls, which leave errno alone. Pid 1 closes the descriptors.
struct helper {
	const struct egress *egress; // NULL: only loopback
	bool redirect;               // one TPROXY rule catches all ports
	bool holds;                  // connections wait for the worker's decision
	bool lingers;                // for a test: exits late
	// Sends pid 1 an errno or 0 for the namespace, then for its content. Then waits for a byte:
	// pid 1 is in the namespace.
	int report;
	int sysctl;       // /proc/sys; its "net" shows the reader's namespace
	const char *what; // the current step
	struct ifreq loopback;
	int listeners[LISTENERS_MAX];
	unsigned listener_count;
};

enum parse netns_parse_ack(const uint8_t *bytes, size_t length, size_t *ret_used,
			   uint32_t *ret_sequence, int *ret_error)
{
	struct nlmsghdr header;
	int error;
	if (length < sizeof(header))
		return PARSE_MORE;
	memcpy(&header, bytes, sizeof(header));
	if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > length)
		return PARSE_BAD;
	if (header.nlmsg_type != NLMSG_ERROR || header.nlmsg_len < sizeof(header) + sizeof(error))
		return PARSE_BAD;
	memcpy(&error, bytes + sizeof(header), sizeof(error));
	if (error > 0 || error < -4095)
		return PARSE_BAD;
	size_t used = NLMSG_ALIGN(header.nlmsg_len);
	*ret_used = used < length ? used : length;
	*ret_sequence = header.nlmsg_seq;
	*ret_error = -error;
	return PARSE_DONE;
}

// Sends messages, and waits for `last`: only it is always acknowledged. Tolerates errors after
// `needed`: these messages are for IPv6.
static long converse(int protocol, const void *messages, unsigned size, uint32_t needed,
		     uint32_t last)
{
	uint8_t reply[4096];
	long fd = sys_raw(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (fd < 0)
		return fd;
	long got = sys_raw(SYS_write, fd, (long)messages, size);
	while (got >= 0) {
		got = sys_raw(SYS_read, fd, (long)reply, sizeof(reply));
		for (size_t at = 0, used; got > 0 && at < (size_t)got; at += used) {
			uint32_t sequence;
			int error;
			if (netns_parse_ack(reply + at, (size_t)got - at, &used, &sequence,
					    &error) != PARSE_DONE)
				got = -EBADMSG;
			else if (error && sequence <= needed)
				got = -error;
			else if (sequence == last)
				return 0;
			if (got < 0)
				break;
		}
	}
	return got;
}

static long set_option(long fd, int level, int option)
{
	int on = 1;
	return sys_raw5(SYS_setsockopt, fd, level, option, (long)&on, sizeof(on));
}

struct netns_wanted {
	int type;
	uint16_t port;
	enum { AT_ALL, AT_LOOPBACK, AT_LOOPBACK_SIX } at;
	bool transparent;
};

// Listens for both families (net.ipv6.bindv6only is 0 in a new namespace), or without IPv6 for
// IPv4.
static long open_listener(const struct netns_wanted *wanted)
{
	int type = wanted->type | SOCK_CLOEXEC | SOCK_NONBLOCK;
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(wanted->port) };
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(wanted->port) };
	v6.sin6_addr.s6_addr[15] = wanted->at == AT_LOOPBACK_SIX;
	if (wanted->at == AT_LOOPBACK) {
		v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		v6.sin6_addr.s6_addr[10] = v6.sin6_addr.s6_addr[11] = 0xff;
		memcpy(v6.sin6_addr.s6_addr + 12, &v4.sin_addr, 4);
	}
	long fd = sys_raw(SYS_socket, AF_INET6, type, 0), result;
	bool is_v6 = fd >= 0;
	if (fd == -EAFNOSUPPORT && wanted->at != AT_LOOPBACK_SIX)
		fd = sys_raw(SYS_socket, AF_INET, type, 0);
	if (fd < 0)
		return fd;
	int level = is_v6 ? IPPROTO_IPV6 : IPPROTO_IP;
	set_option(fd, SOL_SOCKET, SO_REUSEADDR);
	if (wanted->transparent)
		set_option(fd, level, is_v6 ? IPV6_TRANSPARENT : IP_TRANSPARENT);
	if (wanted->type == SOCK_STREAM) // accepted sockets inherit it
		set_option(fd, IPPROTO_TCP, TCP_NODELAY);
	if (wanted->type == SOCK_DGRAM) {
		set_option(fd, level, is_v6 ? IPV6_RECVPKTINFO : IP_PKTINFO);
		set_option(fd, level, is_v6 ? IPV6_FREEBIND : IP_FREEBIND);
	}
	result = is_v6 ? sys_raw(SYS_bind, fd, (long)&v6, sizeof(v6))
		       : sys_raw(SYS_bind, fd, (long)&v4, sizeof(v4));
	if (result >= 0 && wanted->type == SOCK_STREAM)
		result = sys_raw(SYS_listen, fd, BACKLOG, 0);
	if (result < 0)
		sys_raw(SYS_close, fd, 0, 0);
	return result < 0 ? result : fd;
}

static long add_listener(struct helper *helper, struct netns_wanted wanted)
{
	long fd = open_listener(&wanted);
	if (fd >= 0)
		helper->listeners[helper->listener_count++] = (int)fd;
	return fd;
}

// Adds a socket of sock_diag(7), which answers for its namespace. Without sock_diag an AF_UNIX
// socket takes its place.
static long add_owners(struct helper *helper)
{
	int type = SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
	long fd = sys_raw(SYS_socket, AF_NETLINK, type, NETLINK_SOCK_DIAG);
	if (fd < 0)
		fd = sys_raw(SYS_socket, AF_UNIX, type, 0);
	if (fd >= 0)
		helper->listeners[helper->listener_count++] = (int)fd;
	return fd;
}

static long add_loopback(struct helper *helper, uint16_t port)
{
	struct netns_wanted wanted = { SOCK_STREAM, port, AT_LOOPBACK, false };
	long result = add_listener(helper, wanted);
	wanted.at = AT_LOOPBACK_SIX;
	long six = result < 0 ? result : add_listener(helper, wanted);
	return six == -EAFNOSUPPORT || six == -EADDRNOTAVAIL ? result : six;
}

// Runs after all listeners are added. Without raw sockets AF_UNIX sockets take their place, and no
// connection waits.
static long add_holds(struct helper *helper)
{
	static const int families[] = { AF_INET, AF_INET6 };
	uint16_t ports[HOLD_PORTS_MAX] = { NETNS_PORT, NETNS_DNS_PORT };
	unsigned count = helper->redirect ? 1 : 2;
	long raw[2] = { -EPERM, -EPERM }, result = 0;
	for (unsigned i = 0; i < helper->egress->loopback_count; i++)
		ports[count++] = helper->egress->loopback[i];
	for (unsigned i = 0; i < helper->egress->port_count && !helper->redirect; i++)
		ports[count++] = helper->egress->ports[i];
	for (int i = 0; i < 2 && helper->holds; i++) {
		raw[i] = hold_open(families[i], ports, count);
		helper->holds = raw[i] >= 0 || raw[i] == -EAFNOSUPPORT;
	}
	for (int i = 0; i < 2; i++) {
		if (!helper->holds && raw[i] >= 0)
			sys_raw(SYS_close, raw[i], 0, 0);
		if (!helper->holds || raw[i] < 0)
			raw[i] = sys_raw(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (raw[i] < 0)
			return raw[i];
		helper->listeners[LISTENER_SYN_V4 + i] = (int)raw[i];
	}
	for (unsigned i = 0; i < helper->listener_count && helper->holds && result >= 0; i++)
		if (i == LISTENER_ALL || i >= LISTENER_FIRST_PORT ||
		    (i == LISTENER_DNS_TCP && !helper->redirect))
			result = hold_listener(helper->listeners[i]);
	return result;
}

static void open_low_ports(const struct helper *helper)
{
	long fd = sys_raw(SYS_openat, helper->sysctl, (long)"net/ipv4/ip_unprivileged_port_start",
			  O_WRONLY);
	if (fd >= 0)
		sys_raw(SYS_write, fd, (long)"0", 1);
}

static long make_egress(struct helper *helper)
{
	long result = 0;
	helper->what = "routes";
	result = converse(NETLINK_ROUTE, netns_messages, netns_messages_size, SEQUENCE_V4_LAST,
			  SEQUENCE_LINKS_LAST);
	if (result < 0)
		return result;
	open_low_ports(helper);
	helper->what = "listeners";
	static const struct netns_wanted standard[] = {
		[LISTENER_ALL] = { SOCK_STREAM, NETNS_PORT, AT_ALL, true },
		[LISTENER_DNS] = { SOCK_DGRAM, NETNS_DNS_PORT, AT_ALL, false },
		[LISTENER_DNS_TCP] = { SOCK_STREAM, NETNS_DNS_PORT, AT_ALL, false },
	};
	for (unsigned i = 0; i < LISTENER_OWNERS && result >= 0; i++)
		result = add_listener(helper, standard[i]);
	if (result >= 0)
		result = add_owners(helper);
	helper->listener_count = LISTENER_FIRST_PORT; // add_holds() fills the gap
	for (unsigned i = 0; i < helper->egress->loopback_count && result >= 0; i++)
		result = add_loopback(helper, helper->egress->loopback[i]);
	if (result < 0)
		return result;
	if (helper->redirect)
		result = converse(NETLINK_NETFILTER, redirect_messages, redirect_messages_size,
				  SEQUENCE_RULES_LAST, SEQUENCE_RULES_LAST);
	// Without nf_tables or TPROXY makes a listener for each port of a list.
	helper->redirect = helper->redirect && result >= 0;
	for (unsigned i = 0; i < helper->egress->port_count && !helper->redirect; i++) {
		result = add_listener(helper,
				      (struct netns_wanted){ SOCK_STREAM, helper->egress->ports[i],
							     AT_ALL, false });
		if (result < 0 && result != -EADDRINUSE)
			return result;
	}
	return add_holds(helper);
}

static long raise_loopback(const struct helper *helper)
{
	long fd = sys_raw(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	long result = sys_raw(SYS_ioctl, fd, SIOCSIFFLAGS, (long)&helper->loopback);
	sys_raw(SYS_close, fd, 0, 0);
	return result;
}

static bool tell(const struct helper *helper, long result)
{
	int problem = result < 0 ? (int)-result : 0;
	sys_raw(SYS_write, helper->report, (long)&problem, sizeof(problem));
	return result >= 0;
}

static int helper_main(void *argument)
{
	static const struct timespec a_while = { .tv_nsec = 300000000 };
	struct helper *helper = argument;
	char entered;
	helper->what = "a network namespace";
	if (!tell(helper, sys_raw(SYS_unshare, CLONE_NEWNET, 0, 0)))
		return 0;
	helper->what = "lo";
	tell(helper, helper->egress ? make_egress(helper) : raise_loopback(helper));
	sys_raw(SYS_read, helper->report, (long)&entered, sizeof(entered));
	if (helper->lingers)
		sys_raw(SYS_nanosleep, (long)&a_while, 0, 0);
	return 0;
}

static struct helper helper = {
	.loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING },
};

// Starts a helper that makes the network namespace, for which the kernel takes 0.7 ms.
int netns_child_network(const struct plan *plan, struct run *run)
{
	static char stack[32768] __attribute__((aligned(16)));
	if (!plan->own_network)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, run->network) < 0)
		return fail(errno, "socketpair");
	helper.report = run->network[1];
	helper.egress = plan->egress.on ? &plan->egress : NULL;
	helper.redirect = !testing_skips("redirect");
	helper.holds = !testing_skips("hold");
	helper.lingers = testing_skips("helper-haste");
	if (helper.egress)
		helper.sysctl = open("/proc/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (clone(helper_main, stack + sizeof(stack),
		  CLONE_VM | CLONE_FILES | CLONE_PIDFD | SIGCHLD, &helper, &run->helper) < 0)
		return fail(errno, "clone");
	return 0;
}

// Pid 1 holds both ends of the socket: only the pidfd shows that the helper died.
static int hear_helper(const struct run *run)
{
	int problem;
	struct pollfd events[] = { { .fd = run->network[0], .events = POLLIN },
				   { .fd = run->helper, .events = POLLIN } };
	while (poll(events, 2, -1) < 0)
		if (errno != EINTR)
			return fail(errno, "poll");
	if (!events[0].revents ||
	    read(run->network[0], &problem, sizeof(problem)) != sizeof(problem))
		return fail(0, "the helper that makes the network died");
	return problem ? fail(problem, "the box's network: %s", helper.what) : 0;
}

int netns_child_join(const struct plan *plan, struct run *run)
{
	if (!plan->own_network)
		return 0;
	TRY(hear_helper(run));
	if (setns(run->helper, CLONE_NEWNET) < 0)
		return fail(errno, "enter the network namespace");
	return write(run->network[0], "", 1) == 1 ? 0 : fail(errno, "let the helper go");
}

int netns_child_listen(const struct plan *plan, struct run *run)
{
	if (!plan->own_network)
		return 0;
	TRY(hear_helper(run));
	for (unsigned i = 0; i < helper.listener_count; i += FD_PASSED) {
		unsigned count = helper.listener_count - i;
		count = count > FD_PASSED ? FD_PASSED : count;
		run->message.kind = MESSAGE_LISTENING;
		run->message.number = (helper.redirect ? NETNS_REDIRECTS : 0) |
				      (helper.holds ? NETNS_HOLDS : 0) |
				      (i + count < helper.listener_count ? NETNS_MORE : 0);
		if (fd_send(run->to_host, &run->message, sizeof(run->message), helper.listeners + i,
			    count) < 0)
			return fail(errno, "hand the listeners over");
	}
	for (unsigned i = 0; i < helper.listener_count; i++)
		fd_close(&helper.listeners[i]);
	return 0;
}

int netns_child_alone(const struct plan *plan, struct run *run)
{
	siginfo_t info;
	enum { PIDFD = 3 };
	if (!plan->own_network)
		return 0;
	if (waitid((idtype_t)PIDFD, (id_t)run->helper, &info, WEXITED) < 0)
		return fail(errno, "wait for the helper");
	fd_close(&run->helper);
	fd_close(&run->network[0]);
	fd_close(&run->network[1]);
	return 0;
}
