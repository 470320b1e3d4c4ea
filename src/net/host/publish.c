// Owns the doors (net/host/proxy.h).

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "boxes/record.h"
#include "net/host/destinations.h"
#include "net/host/proxy.h"
#include "plan.h"
#include "run.h"

enum {
	BACKLOG = 4096,
	SOON_MILLISECONDS = 50,
	LATER_MILLISECONDS = 500,
	HASTE_MILLISECONDS = 10000
};

// Sets SO_REUSEADDR (socket(7)) to bind despite TIME_WAIT. A socket with it that does not listen
// would share its port, even with another user.
static int share_port(int fd, int on)
{
	return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
}

// Returns -1 with errno.
static int bind_at(int family, uint16_t port)
{
	static const struct address four = { { [10] = 0xff, 0xff, 127, [15] = 1 } },
				    six = { { [15] = 1 } };
	struct sockaddr_storage to;
	socklen_t size = sockaddr_fill(family == AF_INET ? &four : &six, port, &to);
	autoclose int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && share_port(fd, 1) == 0 &&
	    bind(fd, (const struct sockaddr *)&to, size) == 0 && share_port(fd, 0) == 0)
		return take(&fd);
	return -1;
}

// Returns a free port to bind by number: when listening stops, Linux frees a port that it chose.
static uint16_t free_port(void)
{
	struct sockaddr_in address;
	socklen_t size = sizeof(address);
	autoclose int fd = bind_at(AF_INET, 0);
	bool known = fd >= 0 && getsockname(fd, (struct sockaddr *)&address, &size) == 0;
	return known ? ntohs(address.sin_port) : 0;
}

static int refuse(const struct publish *publish, const char *flag)
{
	enum { ROOTS = 1024, ELSEWHERE = 8000 }; // net.ipv4.ip_unprivileged_port_start
	unsigned inside = publish->inside, outside = publish->outside, number = (unsigned)errno;
	bool low = number == EACCES && outside && outside < ROOTS;
	unsigned other = number == EADDRINUSE ? free_port() : 0;
	if (other)
		return fail(0,
			    "port %u is used by another program outside; take a free one: %s%u:%u",
			    outside, flag, inside, other);
	if (low && inside == outside)
		return fail(0, "port %u outside is for root; take another: %s%u:%u", outside, flag,
			    inside, outside + ELSEWHERE);
	if (low)
		return fail(
			0,
			"port %u outside is for root; take another: %s%u:auto; or, if %u is the "
			"box's port, which comes first: %s%u:%u",
			outside, flag, inside, outside, flag, outside, inside);
	return fail((int)number, "publish port %u: port %u; take another: %s%u:PORT", inside,
		    outside, flag, inside);
}

int publish_listen(void)
{
	const struct publish any = { 0 };
	autoclose int fd = bind_at(AF_INET, 0);
	if (fd < 0)
		return refuse(&any, "--publish ");
	if (listen(fd, BACKLOG) < 0)
		return fail(errno, "listen at 127.0.0.1");
	return take(&fd);
}

void publish_say(unsigned inside, unsigned outside)
{
	struct out out = { 0 };
	out_text(&out, "sbx: port %u of the box is localhost:%u\n", inside, outside);
	out_flush(&out, STDERR_FILENO);
}

// Binds ::1, too: many programs try it first for localhost.
int publish_open(struct publish *published, const char *flag, int *ret_four, int *ret_six)
{
	enum { TRIES = 32 };
	published->any = published->outside == 0;
	for (int i = 0; i < TRIES; i++) {
		if (published->any)
			published->outside = free_port();
		autoclose int four = bind_at(AF_INET, published->outside);
		*ret_six = four < 0 ? -1 : bind_at(AF_INET6, published->outside);
		if (four >= 0 && (*ret_six >= 0 || errno != EADDRINUSE)) {
			*ret_four = take(&four);
			break;
		}
		refuse(published, flag);
		if (!err_tolerated(published->any && i + 1 < TRIES))
			return -1;
	}
	if (published->any)
		publish_say(published->inside, published->outside);
	return 0;
}

static void order_door(struct proxy *proxy, unsigned place)
{
	struct worker_command order = { .kind = COMMAND_DOOR,
					.port = proxy->ports[place].inside,
					.place = place };
	const struct door *door = &proxy->doors[place];
	int sockets[2] = { -1, -1 };
	unsigned count = 0;
	if (!proxy->orders)
		return;
	for (int i = 0; i < 2 && door->open; i++)
		if (door->sockets[i] >= 0)
			sockets[count++] = fcntl(door->sockets[i], F_DUPFD_CLOEXEC, 3);
	orders_give(proxy->orders, &order, sockets, count);
}

void doors_soon(struct proxy *proxy)
{
	proxy->doors_next = steady_now();
	proxy->doors_haste = proxy->doors_next + HASTE_MILLISECONDS;
}

static void doors_shut(struct proxy *proxy, unsigned place)
{
	struct door *door = &proxy->doors[place];
	bool was_open = door->open;
	door->open = false;
	for (int i = 0; i < 2 && was_open; i++) {
		shutdown(door->sockets[i], SHUT_RDWR);
		share_port(door->sockets[i], 0);
	}
	if (was_open)
		order_door(proxy, place);
}

void doors_ports(const struct proxy *proxy, struct record_ports *ret_ports)
{
	struct record_ports ports = { 0 };
	for (int i = 0; i < DOORS_MAX; i++)
		if (proxy->ports[i].inside)
			ports.all[ports.count++] = (struct record_port){ proxy->ports[i].inside,
									 proxy->ports[i].outside };
	*ret_ports = ports;
}
_Static_assert((int)DOORS_MAX == (int)RECORD_PORTS, "all published ports fit");

void doors_close(struct proxy *proxy, unsigned place)
{
	doors_shut(proxy, place);
	fd_close(&proxy->doors[place].sockets[0]);
	fd_close(&proxy->doors[place].sockets[1]);
}

static void look_at(struct proxy *proxy, unsigned place)
{
	struct door *door = &proxy->doors[place];
	unsigned unheard = atomic_load(&proxy->shared->unheard[place]);
	if (door->open && unheard != door->unheard)
		doors_shut(proxy, place);
	door->unheard = unheard;
	const struct publish *at = &proxy->ports[place];
	bool listens = door->open || owner_listens(&proxy->connections->who, at->inside);
	// Users of Docker write the outer port first: the program then listens at that number.
	door->reversed = !listens &&
			 (door->reversed || (at->outside != at->inside &&
					     owner_listens(&proxy->connections->who, at->outside)));
	if (door->open || !listens)
		return;
	for (int i = 0; i < 2; i++)
		door->open = (share_port(door->sockets[i], 1) == 0 &&
			      listen(door->sockets[i], BACKLOG) == 0) ||
			     door->open;
	order_door(proxy, place);
}

int doors_publish(struct run *run, const struct publish *port, int fds[FD_PASSED])
{
	struct proxy *proxy = run->proxy;
	unsigned place = 0;
	bool opens = fds[0] >= 0;
	while (place < DOORS_MAX && proxy->ports[place].inside != port->inside)
		place++;
	if (opens == (place < DOORS_MAX))
		return opens ? EEXIST : ENOENT;
	for (place = opens ? 0 : place; opens && place < DOORS_MAX && proxy->ports[place].inside;)
		place++;
	if (place == DOORS_MAX)
		return ENOSPC;
	doors_close(proxy, place);
	proxy->ports[place] = opens ? *port : (struct publish){ 0 };
	proxy->doors[place] = (struct door){ .sockets = { take(&fds[0]), take(&fds[1]) } };
	if (proxy->shared && opens) {
		atomic_store(&proxy->shared->unheard[place], 0);
		look_at(proxy, place);
	}
	doors_soon(proxy);
	struct record_ports ports;
	doors_ports(proxy, &ports);
	record_put(run->record_lock, offsetof(struct record_entry, ports), &ports, sizeof(ports));
	return 0;
}

void doors_look(struct proxy *proxy)
{
	int64_t now = steady_now();
	bool shut = false;
	if (!proxy->doors_next || now < proxy->doors_next || !proxy->shared)
		return;
	for (unsigned i = 0; i < DOORS_MAX; i++) {
		if (proxy->ports[i].inside)
			look_at(proxy, i);
		shut = shut || (proxy->ports[i].inside && !proxy->doors[i].open);
	}
	proxy->doors_next = !shut                      ? 0
			    : now < proxy->doors_haste ? now + SOON_MILLISECONDS
						       : now + LATER_MILLISECONDS;
}

int doors_wait(const struct proxy *proxy, int milliseconds)
{
	return times_left(proxy->shared ? proxy->doors_next : 0, milliseconds);
}
