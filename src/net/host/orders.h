// Orders to a worker, in a queue. What its socket does not take now goes when there is room: a
// worker that does not read is not waited for, and is not dead.
#pragma once

#include <poll.h>
#include <sys/types.h>
#include <time.h>

#include "base/fd.h"
#include "net/rules/control.h"

// More than a worker can have asked for: its new records, its questions, and changes of the rules.
enum { ORDERS_MAX = 2048 };

struct orders {
	int control; // the supervisor's end, which does not block
	pid_t worker;
	struct file_state files[2]; // hosts and resolv.conf as they were sent last
	// When rules changed that are not in force there yet, 0: none; and what it had worked then.
	int64_t changed, worked; // milliseconds
	unsigned first, count;
	struct order {
		struct worker_command command;
		int fds[FD_PASSED]; // owned until they are sent
		unsigned fd_count;
	} all[ORDERS_MAX];
};

// NULL when there is no memory.
struct orders *orders_new(int control);
void orders_free(struct orders *orders);
// Takes the descriptors, and sends what can be sent. Where it is full the order is dropped: a
// connection that waits for it ends by its own time.
void orders_give(struct orders *orders, const struct worker_command *command, int *fds,
		 unsigned count);
void orders_send(struct orders *orders);
// The host's tables of names as they are now, where they are not as they were sent.
void orders_files(struct orders *orders);
// The rules have changed; and whether they are not in force for too long: a worker has a second of
// its own processor time, and ten of anybody's. Asked until they are taken.
void orders_rules(struct orders *orders);
bool orders_overdue(struct orders *orders, bool taken);
// These milliseconds, or less while that has to be asked.
int orders_wait(const struct orders *orders, int milliseconds);
// What its socket is waited for.
struct pollfd orders_event(const struct orders *orders);
