// A queue of orders to a worker, for those that its socket does not take now: a worker that does
// not read is neither waited for nor dead.
#pragma once

#include <poll.h>
#include <sys/types.h>
#include <time.h>

#include "base/fd.h"
#include "net/rules/control.h"

// Exceeds what a worker can ask for: records, questions, changes of rules.
enum { ORDERS_MAX = 2048 };

struct orders {
	int control; // the supervisor's end, non-blocking
	pid_t worker;
	struct sent {
		dev_t device;
		ino_t inode;
		struct timespec changed;
	} files[2]; // hosts and resolv.conf as last sent
	// Time, and the worker's CPU time, of the oldest change that it has not taken; 0: none.
	int64_t changed, worked;
	unsigned first, count;
	struct order {
		struct worker_command command;
		int fds[FD_PASSED]; // owned until sent
		unsigned fd_count;
	} all[ORDERS_MAX];
};

struct orders *orders_new(int control);
void orders_free(struct orders *orders);
// Takes the descriptors. A full queue drops the order: the connection that waits times out.
void orders_give(struct orders *orders, const struct worker_command *command, int *fds,
		 unsigned count);
void orders_send(struct orders *orders);
void orders_files(struct orders *orders);
// orders_overdue(): the worker has not taken new rules after a second of its CPU time, or ten of
// real time.
void orders_rules(struct orders *orders);
bool orders_overdue(struct orders *orders, bool taken);
// `milliseconds`, or less while rules are not taken.
int orders_wait(const struct orders *orders, int milliseconds);
struct pollfd orders_event(const struct orders *orders);
