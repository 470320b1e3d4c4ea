// What is happening: the state of one run. Each field has one owner, named beside it.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#include "plan.h"

struct group;
struct proxy;
struct sockaddr_storage;

enum { STEPS_MOST = 40 };

// From the supervisor to pid 1: make sockets of the box's network and send them.
enum { SIGNAL_SOCKETS = 63 };
// To a supervisor of a session's run, and on to pid 1: stop all processes of the box, and continue.
enum { SIGNAL_PAUSE = 62, SIGNAL_RESUME = 61 };

// What init tells the supervisor; written in one piece (smaller than PIPE_BUF).
struct message {
	enum message_kind {
		MESSAGE_FAILED,   // a step: number = errno, text = why
		MESSAGE_NO_EXEC,  // the command: number = errno of execve
		MESSAGE_LISTENER, // with a descriptor: where the second filter's questions come
		MESSAGE_HELD,     // with descriptors: what the host side needs to guard the project
		MESSAGE_LISTENING, // with descriptors: listeners of the box's network; number:
				   // redirected
		MESSAGE_SOCKETS,   // with descriptors: fresh sockets of the box's network
		MESSAGE_STARTED,   // the command runs
		MESSAGE_STOPPED,   // by signal `status`
		MESSAGE_ENDED,     // with wait status `status`
	} kind;
	int step; // row of run/steps.c
	int number;
	int status;
	bool alone;      // MESSAGE_ENDED: no other process is left in the box
	bool tmp_full;   // MESSAGE_ENDED, as are the next four: of all processes that have ended
	uint64_t cpu;    // microseconds
	uint64_t memory; // bytes, of the largest
	uint64_t read, written;           // bytes
	uint32_t nanoseconds[STEPS_MOST]; // MESSAGE_STARTED: time of each step inside
	char text[1024];
};

enum { JOURNALS_MOST = 8 };

struct run {
	char *const *arguments;   // argv of sbx itself, wiped in pid 1
	char *const *environment; // of the caller
	int go[2];                // the pipe by which the plan is handed over

	// ns
	pid_t init; // the box's pid 1, as seen from outside
	int pidfd;
	int to_host, from_box;  // the socket of messages
	int user, view;         // the box's user and mount namespaces, for the guard
	int helper, network[2]; // pidfd of the maker of the network, and what it says

	// limits
	struct group *group;
	int cgroup;            // pid 1 is made in it; -1: in ours
	int counters, catcher; // of the guard, -1 without: its counts, and who catches every port
	bool grouped;          // pid 1 waits to be killed, so that its group can be read

	// tty
	int terminal; // a private descriptor of the controlling terminal, or -1
	bool foreground;
	struct termios termios;
	bool own_session; // no terminal: the command gets a session of its own

	int nothing; // standard-io: /dev/null, until it takes the place of stdin and stdout

	// signals (supervise)
	int signals;
	sigset_t callers_mask;
	bool tier_landlock;
	bool child_ignored; // the caller had SIGCHLD ignored; the command gets it so

	// session
	int session;           // its directory, -1 without
	int slot;              // of our record, by which others find our mounts, or -1
	bool joined_own;       // the overlay of what has nothing below is another run's
	int trees[ROOTS_MOST]; // mounts of another run of the session, by root; -1: to be made
	int session_user, session_view; // the box's namespaces, for those who come later
	int descriptors;                // box side: the host's /proc/self/fd
	int own_overlay;                // box side: of all that has nothing of the host below
	bool in_session, paused;        // pid 1

	// mount: a descriptor of each mount of the plan, -1 when it has none
	int *mounts;
	int root;
	int listener;   // host side: of the second filter
	int questions;  // explain: the way to who answers them
	int asked_root; // explain: of the box, opened with the first question
	bool reaped;    // host side: somebody reaps what we leave behind
	int absent;     // both sides: the link to nowhere, O_PATH
	int copies;     // host side: the directory of the box's copies

	// The journals of the plan's trees (guard/journal.h).
	int journals[JOURNALS_MOST];
	unsigned journal_count;
	uint64_t journal_id;
	int journal_problem; // errno: one could not be written

	struct proxy *proxy; // net
	// Connects a socket of tier landlock to the proxy, on its way to `to`: 0 or -errno.
	int (*relay)(const struct run *run, int socket, const struct sockaddr_storage *to);

	// steps
	uint32_t host_nanoseconds[STEPS_MOST];
	struct message message;
};
