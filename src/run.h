// What is happening: the state of one run. Each field has one owner, named beside it.
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

// From the supervisor to pid 1: orders wait in its socket. And to the process that a shell waits
// for: stop. Standard signals: the kernel counts those above 31 for the user, and drops what they
// say.
enum { SIGNAL_ORDER = SIGSTKFLT, SIGNAL_STOP = SIGSTKFLT };
// An order is the signal that is handed on, or: make sockets of the box's network and send them.
enum { ORDER_SOCKETS = 0 };
// To pid 1 of tier landlock, where nothing ends the command with it: end all of them. Also what the
// kernel sends it when the supervisor dies. Before there is a command it ends pid 1.
enum { SIGNAL_END = 62 };
// To a supervisor of a session's run, and on to pid 1: stop all processes of the box, and continue.
enum { SIGNAL_PAUSE = 62, SIGNAL_RESUME = 61 };

// What init tells the supervisor; written in one piece (smaller than PIPE_BUF).
struct message {
	enum message_kind {
		MESSAGE_FAILED,   // a step: number = errno, text = why
		MESSAGE_NO_EXEC,  // the command: number = errno of execve
		MESSAGE_LISTENER, // where the second filter's questions come, or no descriptor
		MESSAGE_HELD,     // with descriptors: what the host side needs to guard the project
		MESSAGE_LISTENING, // with descriptors: listeners of the box's network; number:
				   // of enum netns
		MESSAGE_SOCKETS,   // with descriptors: fresh sockets of the box's network
		MESSAGE_STARTED,   // the command runs
		MESSAGE_STOPPED,   // by signal `status`
		MESSAGE_PAUSED,    // all processes, by SIGNAL_PAUSE
		MESSAGE_FURTHER,   // of a command of sbx exec, `step`: what, and a number of it
				   // (process/further.h), in `number` and `status`
		MESSAGE_ENDED,     // with wait status `status`
	} kind;
	int step; // row of run/steps.c
	int number;
	int status;
	pid_t child;     // MESSAGE_FURTHER: in the box's numbers
	bool alone;      // MESSAGE_ENDED: no other process is left in the box
	bool tmp_full;   // MESSAGE_ENDED, as are the next four: of all processes that have ended
	uint64_t cpu;    // microseconds
	uint64_t memory; // bytes, of the largest
	uint64_t read, written;          // bytes
	uint32_t nanoseconds[STEPS_MAX]; // MESSAGE_STARTED: time of each step inside
	char text[1024];                 // MESSAGE_FAILED: why; MESSAGE_ENDED: process/ns.h
};

// The first bytes of each message at a run's control socket, in both directions: client and box may
// be of different versions of sbx. What follows is of this version alone; 1 had no head.
enum { CONTROL_NAME = 0x63786273, CONTROL_VERSION = 4 };
struct control_head {
	uint32_t name, version;
};
static inline bool control_is_known(const struct control_head *head)
{
	return head->name == CONTROL_NAME && head->version == CONTROL_VERSION;
}

enum { JOURNALS_MAX = 8, PREPARED_MAX = 16, OPTIONS_KEPT = 4 };

// Every descriptor of a run stands in the first part, and is -1 while there is none: run_init()
// sets the whole part, so that none begins as 0. Lint finds one elsewhere.
struct run {
	struct {
		int go[2]; // the pipe by which the plan is handed over

		// ns
		int pidfd;              // of `init`
		int to_host, from_box;  // the socket of messages
		int user, view;         // the box's user and mount namespaces, for the guard
		int helper, network[2]; // pidfd of the maker of the network, and what it says

		// limits
		int cgroup;            // pid 1 is made in it; -1: in ours
		int counters, catcher; // of the guard: its counts, and who catches every port

		int agent_listener, agent_socket; // sshagent: the box's, and the caller's (O_PATH)
		int agent_directory;              // locked
		// keys: what the supervisor says to the opener, and what the worker sends it
		int opener_control, opener_channel;

		int pty;      // of a command in the background: the master
		int terminal; // tty: a private descriptor of the controlling terminal
		int nothing; // standard-io: /dev/null, until it takes the place of stdin and stdout
		int flags[3], held[2]; // of 0, 1, 2 at the start; and by which they are put back
		int signals;           // signals (supervise)
		int parent;            // pidfd of the process that the run ends with

		// session
		int session;          // its directory
		int trees[ROOTS_MAX]; // mounts of another run of the session, by root; -1: to be
				      // made
		int session_user, session_view; // the box's namespaces, for those who come later
		int descriptors;                // box side: the host's /proc/self/fd
		int own_overlay; // box side: of all that has nothing of the host below

		// mount
		int root;
		int listener;               // host side: of the second filter
		int explained;              // explain: what the thread found that looks
		int prepared[PREPARED_MAX]; // box side: detached, a row of fixed_devices each
		int absent;                 // both sides: the link to nowhere, O_PATH
		int copies;                 // host side: the directory of the box's copies

		int temporary;                  // tier landlock: its own directory, locked
		int boxes, record, record_lock; // the run's record (boxes/record.h)
		// What it says of the plan's trees (postcheck/check.h).
		int journals[JOURNALS_MAX];
	};

	pid_t init;      // the box's pid 1, as seen from outside; the first that is no descriptor
	int init_signal; // that ended it, where it is known

	// standard-io: of those of 0, 1 and 2 that are sockets (run/signals.c)
	struct kept_option {
		socklen_t size; // 0: it is none
		unsigned char value[16];
	} options[3][OPTIONS_KEPT];

	char *const *arguments;   // argv of sbx itself, wiped in pid 1
	char *const *environment; // of the caller

	// limits
	struct group *group;
	struct rlimit callers_files; // of descriptors
	bool grouped;                // pid 1 waits to be killed, so that its group can be read

	// tty
	pid_t caller_group; // the process group that sbx was started in
	pid_t lent_group;   // that has the terminal, of the box; 0: none was seen
	int session_nice;
	bool foreground;
	struct termios termios;
	bool own_session; // no terminal: the command gets a separate session
	bool jobs;        // the caller is a shell with job control: it waits for us to stop, too
	bool lent;        // the command has a separate process group, and the terminal
	bool background;  // began there, with descriptors of the terminal
	pid_t front;      // the process that this shell waits for, when it is not ours

	// signals (supervise)
	sigset_t callers_mask;
	bool started;          // MESSAGE_STARTED was taken
	bool asked;            // by the second filter: who answers is there
	bool unheard;          // the kernel had no listener for it
	_Atomic bool *looking; // the thread of notify/explain.c, at a call that went on
	bool tier_landlock;
	bool child_ignored; // the caller had SIGCHLD ignored; the command gets it so

	// session
	bool joined_own;       // the overlay of what has nothing below is another run's
	bool pausable, paused; // pid 1

	// exec: the commands, in pid 1, and who gave them
	struct further *further;
	struct further_clients *clients;

	// mount
	int *mounts;    // a descriptor of each mount of the plan, -1 when it has none
	unsigned made;  // box side: inodes on the root's own tmpfs: more are the command's
	bool masked[2]; // box side: there is a mask of a file, of a directory
	bool reaped;    // host side: somebody reaps what we leave behind
	struct identity prepared_of[PREPARED_MAX]; // of what each is a copy

	// postcheck
	unsigned journal_count;
	const struct share *share; // of the start, of git's index; NULL: not known
	int journal_problem;       // errno: one could not be written
	bool uncached;             // the disk has no room for a cache

	// sshagent: the filter and who connects for it, and what was refused
	pid_t agent_processes[2];
	struct agent_record *agent;
	// record
	char record_name[64];
	bool fronted;                 // another process has made it, and reads it later
	const char *unlisted;         // which verbs do not find this run, and why, or NULL
	uint64_t record_seen;         // refusals at the last look
	pid_t opener;                 // keys; 0: none
	bool opener_ended;            // before the box did
	struct opener_record *opened; // keys: what the opener did

	struct proxy *proxy;   // net
	struct events *events; // report
	struct ask *ask;       // ask
	// Connects a socket of tier landlock to the proxy, on its way to `to`: 0 or -errno.
	int (*relay)(const struct run *run, int socket, const struct sockaddr_storage *to);

	// What came at the control socket and is to be executed: takes all descriptors.
	void (*execute)(const struct plan *plan, struct run *run,
			const struct terminal_wish *terminal, int client, int fds[]);
	bool watched; // a client has come: it hears what its command is denied, each time, by
	// `denied`: the process (0: not known), when (steady clock), what.
	void (*denied)(const struct run *run, pid_t pid, int64_t time, const struct denial *denial);

	enum { LOCK_NONE, LOCK_READY, LOCK_DONE } lock; // of the supervisor (net/setup/lock.c)

	// steps
	int64_t began; // the first, in milliseconds of the steady clock
	int64_t acts;  // the box, from then on, by the same clock
	uint32_t host_nanoseconds[STEPS_MAX];
	struct message message;
};
