// What the supervisor remembers of a run's connections: for the final report, the log, and their
// owners.
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

// Whose a connection of the box is: as the kernel answers, while it lasts. Reports show it, and
// nothing is decided by it.
//
// The box decides how many processes and descriptors there are, and the host's time goes into each
// look: a search has a bound.

enum { OWNER_NAME = 16, OWNER_PIDS_MAX = 8192 };

// Nanoseconds of CPU time.
#define OWNER_RECORD_MAX (2 * 1000000LL)
#define OWNER_RUN_MAX    (50 * 1000000LL)

struct owner_search {
	int64_t record_most, run_most; // nanoseconds that one search, and all of them, may take
	int64_t run_spent, end;        // in all; of the clock, for this one
	int owners;                    // answers of NETLINK_SOCK_DIAG in the box's network, or -1
	int last; // /proc of who was found last, or -1: that very process, or nobody
	pid_t last_pid;
	uint32_t sequence; // of questions
	unsigned long long inode;
	unsigned looked;    // tables of descriptors looked through, in all
	unsigned pid_count; // still to be searched, the newest last
	pid_t pids[OWNER_PIDS_MAX];
	pid_t found;              // 0: nobody
	char program[OWNER_NAME]; // "" nobody was found, "?" the time was used up
};

// `owners`: the box's socket of NETLINK_SOCK_DIAG, or -1; not owned.
void owner_new(struct owner_search *who, int owners);
// Finds the process below `init` with this socket: sets `found` and `program`.
void owner_find(struct owner_search *who, pid_t init, const struct ends *ends);
// True if a program listens at 127.0.0.1 or ::1.
bool owner_listens(struct owner_search *who, uint16_t port);

// The inode in an answer of sock_diag(7). Pure.
enum parse owner_parse_socket(const uint8_t *bytes, size_t length, uint32_t sequence,
			      unsigned long long *ret_inode);

// The log of connections: a file of JSON lines for each run that has some, below
// ~/.local/state/sbx/log, read by sbx audit.
//
// What a run writes is bounded, and so is what it takes from others: refusals have a quota of their
// own, of the connections that are let through the first AUDIT_SINGLES have a line each when they
// have ended, and the rest are counted by destination. What all runs keep is bounded as well; there
// the largest file goes first.

#define AUDIT_DIRECTORY "log"
#define AUDIT_SUFFIX    ".jsonl"

enum {
	AUDIT_SINGLES = 20000,
	AUDIT_QUESTIONS = 1000, // for names
	AUDIT_REFUSED_BYTES = 1 << 20,
	AUDIT_FILES_MAX = 1000,
	AUDIT_ALL_BYTES = 256 << 20,
};

struct audit_count {
	uint64_t connections, up, down;
};

struct audit {
	int fd;              // -1 before it is opened, -2 when it cannot be
	const char *project; // of the run, in each line; NULL: none
	unsigned singles, questions;
	size_t refused; // bytes of such lines
};

// The first ended connection opens the file below `state`. A failure does not stop the run: the log
// is no wall. `unlogged` counts connections without a line.
void audit_take(struct audit *audit, const char *state, const struct conn_record *record, pid_t pid,
		const char *program, struct audit_count *unlogged);
// A line for the uncounted rest, at the end of the run.
void audit_rest(const struct audit *audit, const struct conn_record *record,
		const struct audit_count *unlogged);
// Writes the run's report in a separate file: a JSON line (form reported) for each line of `text`.
// -1 with the error said.
int audit_report(const char *state, const char *project, const char *text);
// Also removes other runs' files beyond the bounds.
void audit_end(struct audit *audit, const char *state);

// Destinations that are not listed and are asked for, each once in a run: its answer is remembered.
// Who answers, and how, is ask/ask.h's.

enum {
	QUESTIONS_MAX = 256, // of a run; for what comes then the answer is no
	// From the first connection to the answer: less than a worker holds the connection.
	QUESTION_MILLISECONDS = 28000,
};

struct host_question {
	struct host host;
	uint16_t port;
	char program[OWNER_NAME]; // as the box says
	int64_t since;            // milliseconds of the steady clock, as is
	bool waits;               // for an answer
	enum answered answer;     // once it does not
};

struct host_questions {
	unsigned count;
	struct host_question all[QUESTIONS_MAX];
};

// A worker's report of waiting connections. True: the answer is known.
bool questions_take(const struct plan *plan, const struct run *run,
		    const struct worker_event *report, enum hold_answer *ret_answer);
struct host_question *questions_next(struct proxy *proxy);
// The oldest first, at most `most`; returns how many.
unsigned questions_list(struct proxy *proxy, struct host_question **all, unsigned most);

// Orders to a worker, in a queue. What its socket does not take now goes when there is room: a
// worker that does not read is not waited for, and is not dead.

// Exceeds what a worker can ask for: records, questions, changes of rules.
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

enum {
	SEEN_MAX = 256, // destinations: allowed ones, and others
};

struct name_seen {
	struct conn_record record; // sums of all alike
	pid_t pid;                 // of the program; 0: gone
	char program[OWNER_NAME];
	struct audit_count unlogged;
	unsigned short noted; // refusals.c: index of the denial + 1; 0: none
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
	struct audit_count unlogged[VERDICTS]; // of unlisted destinations
	struct audit_count unlogged_questions;
	struct host_questions questions;
};

struct connections *seen_new(int owners, const char *project);
// Handles a worker's report; seeks the owner of a new destination.
void seen_take(const struct plan *plan, const struct run *run, struct connections *connections,
	       const struct worker_event *report, struct orders *orders);
void seen_end(const struct plan *plan, struct connections *connections);

// What a run says of its connections: refusals at once, and all when it has ended.

// During the run: new ones with a known owner.
void refusals_new(const struct plan *plan, struct proxy *proxy, struct denials *denials);
void refusals_tell(const struct plan *plan, const struct run *run, const struct conn_record *record,
		   const struct owner_search *who);
uint64_t refusals_count(const struct proxy *proxy);
// At the end: each denied or failed destination, with its count.
void refusals_report(const struct plan *plan, struct proxy *proxy, struct denials *denials);
// Destinations that a rule for every name allowed.
void refusals_used(const struct proxy *proxy, struct denials *denials);
void refusals_unheard(const struct proxy *proxy, struct findings *found);
// For a failed command: what this machine lacks.
void refusals_explain(const struct plan *plan, const struct proxy *proxy, struct findings *found);
