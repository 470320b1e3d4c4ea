// Owns the queue of orders to a worker.
#include "net/host/destinations.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/base.h"

static const char *const name_files[] = { "/etc/hosts", "/etc/resolv.conf" };

struct orders *orders_new(int control)
{
	struct orders *orders = calloc(1, sizeof(*orders));
	if (orders)
		orders->control = control;
	return orders;
}

static void close_all(int *fds, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		fd_close(&fds[i]);
}

static void drop_first(struct orders *orders)
{
	close_all(orders->all[orders->first].fds, orders->all[orders->first].fd_count);
	orders->first = (orders->first + 1) % ORDERS_MAX;
	orders->count--;
}

static int send_one(const struct orders *orders, struct order *order)
{
	return fd_send(orders->control, &order->command, sizeof(order->command), order->fds,
		       order->fd_count);
}

void orders_send(struct orders *orders)
{
	while (orders->count > 0) {
		struct order *order = &orders->all[orders->first];
		int sent = send_one(orders, order);
		// ETOOMANYREFS (unix(7)): the user's boxes have too many descriptors in flight.
		// Sends the order without any.
		if (sent < 0 && errno != EAGAIN && order->fd_count > 0) {
			memset(orders->files, 0, sizeof(orders->files));
			memset(order->command.changed, 0, sizeof(order->command.changed));
			close_all(order->fds, order->fd_count);
			order->fd_count = 0;
			sent = send_one(orders, order);
		}
		if (sent < 0 && errno == EAGAIN)
			return;
		drop_first(orders);
	}
}

void orders_give(struct orders *orders, const struct worker_command *command, int *fds,
		 unsigned count)
{
	// Leaves half of the queue to orders other than answers, which a box can cause.
	unsigned most = command->kind == COMMAND_ANSWER ? ORDERS_MAX / 2 : ORDERS_MAX;
	struct order *order = &orders->all[(orders->first + orders->count) % ORDERS_MAX];
	if (orders->count >= most) {
		close_all(fds, count);
		return;
	}
	*order = (struct order){ .command = *command, .fd_count = count };
	for (unsigned i = 0; i < count; i++)
		order->fds[i] = take(&fds[i]);
	orders->count++;
	orders_send(orders);
}

void orders_files(struct orders *orders)
{
	struct worker_command order = { .kind = COMMAND_FILES };
	int fds[2];
	unsigned count = 0;
	for (int i = 0; i < 2; i++) {
		struct stat status;
		int fd = file_open(AT_FDCWD, name_files[i], FILE_LINK, &status);
		struct file_state state = fd < 0 ? orders->files[i] : file_state(&status);
		if (file_state_equal(&state, &orders->files[i])) {
			fd_close(&fd);
			continue;
		}
		orders->files[i] = state;
		order.changed[i] = true;
		fds[count++] = fd;
	}
	orders_give(orders, &order, fds, count);
}

static int64_t worked(const struct orders *orders)
{
	clockid_t clock;
	struct timespec used = { 0 };
	if (clock_getcpuclockid(orders->worker, &clock) == 0)
		clock_gettime(clock, &used);
	return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

void orders_rules(struct orders *orders)
{
	if (orders->changed)
		return;
	orders->changed = steady_now();
	orders->worked = worked(orders);
}

bool orders_overdue(struct orders *orders, bool taken)
{
	enum { OWN_MILLISECONDS = 1000, ALL_MILLISECONDS = 10000 };
	orders->changed = taken ? 0 : orders->changed;
	return orders->changed && (steady_now() - orders->changed >= ALL_MILLISECONDS ||
				   worked(orders) - orders->worked >= OWN_MILLISECONDS);
}

int orders_wait(const struct orders *orders, int milliseconds)
{
	enum { SOON_MILLISECONDS = 50 };
	bool soon = orders->changed && (milliseconds < 0 || milliseconds > SOON_MILLISECONDS);
	return soon ? SOON_MILLISECONDS : milliseconds;
}

struct pollfd orders_event(const struct orders *orders)
{
	return (struct pollfd){ .fd = orders->control,
				.events = (short)(POLLIN | (orders->count > 0 ? POLLOUT : 0)) };
}

void orders_free(struct orders *orders)
{
	while (orders->count > 0)
		drop_first(orders);
	free(orders);
}
