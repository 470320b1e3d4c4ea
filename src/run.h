// The state of one run. A comment names the owner of each field.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <termios.h>

#include "plan.h"

struct ask;
struct denial;
struct events;
struct further;
struct further_clients;
struct group;
struct agent_record;
struct opener_record;
struct proxy;
struct share;
struct sockaddr_storage;

enum { STEPS_MAX = 56 };

// To pid 1: its socket has orders; to the process that a shell waits for: stop. Standard signals:
// the kernel counts those above 31 per user, and drops their data.
enum { SIGNAL_ORDER = SIGSTKFLT, SIGNAL_STOP = SIGSTKFLT };
// An order is a signal to forward, or: make sockets of the box's network and send them.
enum { ORDER_SOCKETS = 0 };
// To pid 1 of tier landlock, also from the kernel when the supervisor dies: end all processes.
// Before there is a command it ends pid 1.
enum { SIGNAL_END = 62 };
// To a supervisor of a session's run, and on to pid 1: stop and continue all processes.
enum { SIGNAL_PAUSE = 62, SIGNAL_RESUME = 61 };

// From pid 1 to the supervisor, in one piece (smaller than PIPE_BUF).
struct message {
	enum message_kind {
		MESSAGE_FAILED,    // a step: number = errno, text = why
		MESSAGE_NO_EXEC,   // number = errno of execve
		MESSAGE_LISTENER,  // the second filter's listener, or none
		MESSAGE_HELD,      // with descriptors for the guard of the project
		MESSAGE_LISTENING, // with listeners of the box's network; number: enum netns
		MESSAGE_SOCKETS,   // with fresh sockets of the box's network
		MESSAGE_STARTED,
		MESSAGE_STOPPED, // by signal `status`
		MESSAGE_PAUSED,  // all processes, by SIGNAL_PAUSE
		MESSAGE_FURTHER, // of sbx exec's command `step`: `number`, `status`
				 // (process/further.h)
		MESSAGE_ENDED,   // with wait status `status`
	} kind;
	int step; // row of run/steps.c
	int number;
	int status;
	pid_t child;                     // MESSAGE_FURTHER: pid in the box
	bool alone;                      // MESSAGE_ENDED: no process is left
	bool tmp_full;                   // MESSAGE_ENDED, as the next four: of all ended processes
	uint64_t cpu;                    // microseconds
	uint64_t memory;                 // bytes, of the largest
	uint64_t read, written;          // bytes
	uint32_t nanoseconds[STEPS_MAX]; // MESSAGE_STARTED: of each step in the box
	char text[1024];                 // MESSAGE_FAILED: why; MESSAGE_ENDED: process/ns.h
};

// Begins each message at a run's control socket, both ways: client and box may be of different
// versions of sbx. The rest is of this version; 1 had no head.
enum { CONTROL_NAME = 0x63786273, CONTROL_VERSION = 4 };
struct control_head {
	uint32_t name, version;
};
static inline bool control_is_known(const struct control_head *head)
{
	return head->name == CONTROL_NAME && head->version == CONTROL_VERSION;
}

enum { JOURNALS_MAX = 8, PREPARED_MAX = 16, OPTIONS_KEPT = 4 };

// Descriptors come first: run_init() sets this part to -1, so that none begins as 0. Lint finds one
// elsewhere.
struct run {
	struct {
		int go[2]; // the pipe that hands over the plan

		// ns
		int pidfd;              // of `init`
		int to_host, from_box;  // the socket of messages
		int user, view;         // the box's user and mount namespaces, for the guard
		int helper, network[2]; // pidfd and messages of the helper for the network

		// limits
		int cgroup;            // for pid 1; -1: stays in sbx's
		int counters, catcher; // of the guard: counts; catcher of every port

		int agent_listener, agent_socket; // sshagent: the box's; the caller's (O_PATH)
		int agent_directory;              // locked
		// keys: to the opener from the supervisor, and from the worker
		int opener_control, opener_channel;

		int pty;               // the master, in the background
		int terminal;          // tty: the controlling terminal
		int nothing;           // standard-io: /dev/null
		int flags[3], held[2]; // of 0, 1, 2: at the start; to restore
		int signals;           // signals
		int parent;            // pidfd: the run ends with it

		// session
		int session;          // its directory
		int trees[ROOTS_MAX]; // mounts of another run of the session, by root; -1: none yet
		int session_user, session_view; // the box's namespaces, for later runs
		int descriptors;                // box side: the host's /proc/self/fd
		int own_overlay;                // box side: of all without a host directory

		// mount
		int root;
		int listener;               // host side: of the second filter
		int explained;              // explain: what the thread found
		int prepared[PREPARED_MAX]; // box side: detached, by row of fixed_devices
		int absent;                 // the dangling link, O_PATH
		int copies;                 // host side: the directory of the box's copies

		int temporary;                  // tier landlock: locked
		int boxes, record, record_lock; // boxes/record.h
		// What the record says of the plan's trees (postcheck/check.h).
		int journals[JOURNALS_MAX];
	};

	pid_t init;      // pid 1, in the host's pid namespace; the first non-descriptor
	int init_signal; // that ended it, if known

	// standard-io: of sockets among 0, 1 and 2 (run/signals.c)
	struct kept_option {
		socklen_t size; // 0: none
		unsigned char value[16];
	} options[3][OPTIONS_KEPT];

	char *const *arguments;   // argv of sbx, wiped in pid 1
	char *const *environment; // of the caller

	// limits
	struct group *group;
	struct rlimit callers_files; // of descriptors
	bool grouped;                // pid 1 waits to be killed, so that its group can be read

	// tty
	pid_t caller_group; // at sbx's start
	pid_t lent_group;   // the box's, with the terminal; 0: none
	int session_nice;
	bool foreground;
	struct termios termios;
	bool own_session; // no terminal: the command has a separate session
	bool jobs;        // the caller is a shell with job control
	bool lent;        // the command has a process group and the terminal
	bool background;  // started there, with descriptors of the terminal
	pid_t front;      // the process that the shell waits for, if another one

	// signals (supervise)
	sigset_t callers_mask;
	bool started;          // MESSAGE_STARTED was taken
	bool asked;            // the second filter has a listener
	bool unheard;          // the kernel had no listener for it
	_Atomic bool *looking; // the thread of notify/explain.c reads a call
	bool tier_landlock;
	bool child_ignored; // SIGCHLD of the caller and the command

	// session
	bool joined_own;       // another run's overlay without a host directory
	bool pausable, paused; // pid 1

	// exec: in pid 1; in the supervisor
	struct further *further;
	struct further_clients *clients;

	// mount
	int *mounts;                               // by mount of the plan; -1: none
	unsigned made;                             // box side: inodes that sbx made on the tmpfs
	bool masked[2];                            // box side: a file's mask, a directory's
	bool reaped;                               // host side: another process reaps orphans
	struct identity prepared_of[PREPARED_MAX]; // their originals

	// postcheck
	unsigned journal_count;
	const struct share *share; // at the start, of git's index; NULL: unknown
	int journal_problem;       // errno
	bool unchecked;            // an earlier run's changes: what it made is not known
	bool uncached;             // the disk has no room for a cache

	// sshagent
	pid_t agent_processes[2];
	struct agent_record *agent;
	// record
	char record_name[64];
	bool fronted;                 // the front has made it
	const char *unlisted;         // which verbs do not find this run, and why, or NULL
	uint64_t record_seen;         // refusals at the last look
	pid_t opener;                 // keys; 0: none
	bool opener_ended;            // before the box
	struct opener_record *opened; // keys

	struct proxy *proxy;   // net
	struct events *events; // report
	struct ask *ask;       // ask
	// Connects a socket of tier landlock to the proxy, for `to`: 0 or -errno.
	int (*relay)(const struct run *run, int socket, const struct sockaddr_storage *to);

	// Takes a command of the control socket, with all descriptors.
	void (*execute)(const struct plan *plan, struct run *run,
			const struct terminal_wish *terminal, int client, int fds[]);
	bool watched; // a client gets its command's denials, by
	// `pid` 0: unknown; `time`: steady clock.
	void (*denied)(const struct run *run, pid_t pid, int64_t time, const struct denial *denial);

	enum { LOCK_NONE, LOCK_READY, LOCK_DONE } lock; // of the supervisor (net/setup/lock.c)

	// steps
	int64_t began; // steady clock, milliseconds
	int64_t acts;  // the same, when the box begins to act
	uint32_t host_nanoseconds[STEPS_MAX];
	struct message message;
};
