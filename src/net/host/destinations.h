// The supervisor's data about a run's connections: owners, log, questions, orders to the worker.
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fd.h"
#include "net/parse/parse.h"
#include "net/rules/control.h"

struct denials;
struct findings;
struct plan;
struct proxy;
struct run;

// The search for a connection's owner, for reports only. Its CPU time is bounded: a box can have
// many processes.

enum { OWNER_NAME = 16, OWNER_PIDS_MAX = 8192 };

// Nanoseconds of CPU time.
#define OWNER_RECORD_MAX (2 * 1000000LL)
#define OWNER_RUN_MAX    (50 * 1000000LL)

struct owner_search {
	int64_t record_most, run_most; // CPU time limits of one search, of a run
	int64_t run_spent, end;        // CPU time: spent in this run, when this search ends
	int owners;                    // NETLINK_SOCK_DIAG in the box's network, or -1
	int last;                      // descriptor of the last owner's /proc/PID, or -1
	pid_t last_pid;
	uint32_t sequence; // of the last netlink request
	unsigned long long inode;
	unsigned looked; // number of /proc/PID/fd read
	unsigned pid_count;
	pid_t pids[OWNER_PIDS_MAX];
	pid_t found;              // the owner, or 0
	char program[OWNER_NAME]; // "": no owner; "?": the time ran out
};

// The caller closes `owners`.
void owner_new(struct owner_search *who, int owners);
// Finds the descendant of `init` that has this socket.
void owner_find(struct owner_search *who, pid_t init, const struct ends *ends);
// Whether a program listens at 127.0.0.1 or ::1.
bool owner_listens(struct owner_search *who, uint16_t port);

enum parse owner_parse_socket(const uint8_t *bytes, size_t length, uint32_t sequence,
			      unsigned long long *ret_inode);

// The log of a run: JSON lines, read by sbx audit. The first AUDIT_SINGLES allowed connections have
// a line each, and refusals up to AUDIT_REFUSED_BYTES. The rest are counted for each destination.

#define AUDIT_DIRECTORY "log"
#define AUDIT_SUFFIX    ".jsonl"

enum {
	AUDIT_SINGLES = 20000,
	AUDIT_QUESTIONS = 1000, // lines of DNS questions
	AUDIT_REFUSED_BYTES = 1 << 20,
	AUDIT_FILES_MAX = 1000,
	AUDIT_ALL_BYTES = 256 << 20,
};

struct audit_count {
	uint64_t connections, up, down;
};

struct audit {
	int fd;              // -1: not opened yet; -2: closed
	const char *project; // a path, or NULL
	unsigned singles, questions;
	size_t refused; // bytes of lines about refusals
};

// Writes a line, or adds the connection to `unlogged`. A failure does not end the run: the log
// protects nothing.
void audit_take(struct audit *audit, const char *state, const struct conn_record *record, pid_t pid,
		const char *program, struct audit_count *unlogged);
// Writes a line with the sums of `unlogged`, at the end of the run.
void audit_rest(const struct audit *audit, const struct conn_record *record,
		const struct audit_count *unlogged);
int audit_report(const char *state, const char *project, const char *text);
// Closes the log. Removes old and large logs of all runs.
void audit_end(struct audit *audit, const char *state);

// Questions about unlisted destinations: one for each in a run (ask/ask.h).

enum {
	QUESTIONS_MAX = 256, // further destinations are refused
	// Less than HOLD_MILLISECONDS (route.c).
	QUESTION_MILLISECONDS = 28000,
};

struct host_question {
	struct host host;
	uint16_t port;
	char program[OWNER_NAME]; // chosen by the box
	int64_t since;
	bool waits;
	enum reply answer; // valid if !waits
};

struct host_questions {
	unsigned count;
	struct host_question all[QUESTIONS_MAX];
};

// Returns true if the answer is known.
bool questions_take(const struct plan *plan, const struct run *run,
		    const struct worker_event *report, enum hold_answer *ret_answer);
struct host_question *questions_next(struct proxy *proxy);
// Lists the oldest first. Returns their number.
unsigned questions_list(struct proxy *proxy, struct host_question **all, unsigned most);

// A queue of orders to a worker: the supervisor never waits for a worker that does not read.

enum { ORDERS_MAX = 2048 };

struct orders {
	int control;
	pid_t worker;
	struct file_state files[2]; // /etc/hosts and /etc/resolv.conf as sent last
	// `changed`: when rules changed that the worker has not taken, or 0. `worked`: its CPU time
	// then.
	int64_t changed, worked; // milliseconds
	unsigned first, count;
	struct order {
		struct worker_command command;
		int fds[FD_PASSED]; // owned until sent
		unsigned fd_count;
	} all[ORDERS_MAX];
};

struct orders *orders_new(int control);
void orders_free(struct orders *orders);
// Takes `fds`. Drops the order if the queue is full.
void orders_give(struct orders *orders, const struct worker_command *command, int *fds,
		 unsigned count);
void orders_send(struct orders *orders);
void orders_files(struct orders *orders);
// orders_overdue(): true if the worker has not taken new rules within 1 s of its CPU time or 10 s
// in all.
void orders_rules(struct orders *orders);
bool orders_overdue(struct orders *orders, bool taken);
int orders_wait(const struct orders *orders, int milliseconds);
struct pollfd orders_event(const struct orders *orders);

enum {
	SEEN_MAX = 256,
};

struct name_seen {
	struct conn_record record; // of the first connection; `count`: of all alike
	pid_t pid;                 // the owner, or 0
	char program[OWNER_NAME];
	struct audit_count unlogged;
	unsigned short noted; // refusals.c: index of its denial + 1, or 0
};

struct seen_list {
	unsigned count;
	uint64_t more;
	struct name_seen all[SEEN_MAX];
};

struct connections {
	struct seen_list allowed, refused;
	struct owner_search who;
	struct audit audit;
	struct audit_count unlogged[VERDICTS]; // of destinations beyond SEEN_MAX
	struct audit_count unlogged_questions;
	struct host_questions questions;
};

struct connections *seen_new(int owners, const char *project);
void seen_take(const struct plan *plan, const struct run *run, struct connections *connections,
	       const struct worker_event *report, struct orders *orders);
void seen_end(const struct plan *plan, struct connections *connections);

// Adds refusals that are not in `denials` yet.
void refusals_new(const struct plan *plan, struct proxy *proxy, struct denials *denials);
void refusals_tell(const struct plan *plan, const struct run *run, const struct conn_record *record,
		   const struct owner_search *who);
uint64_t refusals_count(const struct proxy *proxy);
// Adds new refusals and sets all counts, at the end of the run.
void refusals_report(const struct plan *plan, struct proxy *proxy, struct denials *denials);
// Adds destinations that a rule for every name (`*`) allowed.
void refusals_used(const struct proxy *proxy, struct denials *denials);
void refusals_unheard(const struct proxy *proxy, struct findings *found);
// Reports after a failed command that connections could not be redirected.
void refusals_explain(const struct plan *plan, const struct proxy *proxy, struct findings *found);
