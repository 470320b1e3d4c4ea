// The state of one run. Comments name the owners of fields.
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
struct exec;
struct exec_clients;
struct group;
struct agent_record;
struct opener_record;
struct proxy;
struct share;
struct sockaddr_storage;

enum { STEPS_MAX = 56 };

// SIGNAL_ORDER makes pid 1 read its socket. SIGNAL_STOP goes to the process that a shell waits for.
// Of signals above 31 the kernel may drop the sender (siginfo) when a user has many.
enum { SIGNAL_ORDER = SIGSTKFLT, SIGNAL_STOP = SIGSTKFLT };
// The socket carries a signal to forward, or this number: send new sockets of the box's network.
enum { ORDER_SOCKETS = 0 };
// Makes pid 1 of tier landlock end all processes. The kernel sends it when the supervisor dies. It
// kills a pid 1 that has no command yet.
enum { SIGNAL_END = 62 };
// Sent to a session's supervisor, which orders pid 1 to stop or continue all.
enum { SIGNAL_PAUSE = 62, SIGNAL_RESUME = 61 };

// Pid 1 sends it to the supervisor as one packet (SOCK_SEQPACKET).
struct message {
	enum message_kind {
		MESSAGE_FAILED,    // number = errno, text = why
		MESSAGE_NO_EXEC,   // number = errno
		MESSAGE_LISTENER,  // descriptor of the second filter, or none
		MESSAGE_HELD,      // descriptors of the box's namespaces, for the guard
		MESSAGE_LISTENING, // listening sockets; number: enum netns
		MESSAGE_SOCKETS,
		MESSAGE_STARTED,
		MESSAGE_STOPPED, // by signal `status`
		MESSAGE_PAUSED,  // all processes, by SIGNAL_PAUSE
		MESSAGE_EXEC,    // command `exec` of sbx exec ended with `status`
		MESSAGE_ENDED,   // with wait status `status`
	} kind;
	union {
		int step; // row of run/steps.c
		int exec; // MESSAGE_EXEC
	};
	int number;
	int status;
	pid_t child;                     // MESSAGE_EXEC: pid in the box
	bool alone;                      // MESSAGE_ENDED: no process is left
	bool tmp_full;                   // MESSAGE_ENDED: the box's tmpfs is full
	uint64_t cpu;                    // MESSAGE_ENDED: microseconds of ended processes
	uint64_t memory;                 // bytes of the largest
	uint64_t read, written;          // bytes
	uint32_t nanoseconds[STEPS_MAX]; // MESSAGE_STARTED: of each step in the box
	union {
		char text[1024]; // MESSAGE_FAILED: why
		char left[1024]; // MESSAGE_ENDED: process/ns.h
	};
};

// Begins each message on a control socket. Version 1 had no head.
enum { CONTROL_NAME = 0x63786273, CONTROL_VERSION = 4 };
struct control_head {
	uint32_t name, version;
};
static inline bool control_is_known(const struct control_head *head)
{
	return head->name == CONTROL_NAME && head->version == CONTROL_VERSION;
}

enum { JOURNALS_MAX = 8, PREPARED_MAX = 16, OPTIONS_KEPT = 4 };

struct run {
	// Descriptors: run_init() sets them to -1.
	struct {
		int go[2]; // pipe: a byte says that the plan is sealed

		// Owner: process/ns.c.
		int pidfd;
		int to_host, from_box;  // sockets for struct message
		int user, view;         // the box's namespaces, for the guard
		int helper, network[2]; // network helper: pidfd; messages

		// Owner: limits.
		int cgroup;            // where pid 1 starts; -1: sbx's own
		int counters, catcher; // the BPF guard's counters; its program for all ports

		int agent_listener, agent_socket; // sockets: sshagent's; the caller's (O_PATH)
		int agent_directory;              // sshagent's directory, locked
		// secrets: the supervisor's and the worker's socket to the opener
		int opener_control, opener_channel;

		int pty;
		int terminal; // the controlling terminal
		int dev_null;
		int flags[3], held[2]; // step standard-io: flags of 0 to 2; copies of 0, 1
		int signals;
		int parent; // pidfd; the run ends with it

		// Owner: session.
		int session;
		int trees[ROOTS_MAX];           // mounts of another run, by root; -1: none
		int session_user, session_view; // the box's namespaces, for later runs
		int descriptors;                // box side: the host's /proc/self/fd
		int own_overlay; // box side: overlay of roots without a host directory

		// Owner: mount.
		int root;
		int listener;               // host side: listener of the second filter
		int explained;              // socket of the thread of notify/explain.c
		int prepared[PREPARED_MAX]; // box side: detached mounts, by row of fixed_devices
		int dangling_link;
		int copies; // host side: directory of copies

		int temporary;                  // tier landlock: descriptor of plan->temporary
		int boxes, record, record_lock; // the directory of records; this run's; its lock
		// Files of the record, by tree (postcheck/postcheck.h).
		int journals[JOURNALS_MAX];
	};

	pid_t init;      // pid 1, in the host's pid namespace
	int init_signal; // signal that killed it, or 0

	// socket options of 0 to 2 (run/standard_io.c)
	struct kept_option {
		socklen_t size; // 0: unset
		unsigned char value[16];
	} options[3][OPTIONS_KEPT];

	char *const *arguments;   // sbx's, wiped in pid 1
	char *const *environment; // the caller's

	// Owner: limits.
	struct group *group;
	struct rlimit callers_files; // RLIMIT_NOFILE
	bool grouped;                // at its end pid 1 waits for SIGKILL

	// Owner: tty.
	pid_t caller_group;
	pid_t lent_group; // the box's group that has the terminal; 0: none
	int session_nice;
	bool foreground;
	struct termios termios;
	bool own_session; // pid 1 calls setsid(2): no terminal is used
	bool job_control;
	bool lent; // the command has the terminal
	bool background;
	pid_t front; // process that the shell waits for; 0: this one

	// Owner: run/supervise.c.
	sigset_t callers_mask;
	bool started;
	bool has_listener;
	bool no_listener;
	_Atomic bool *looking; // the thread of notify/explain.c reads a call
	bool tier_landlock;
	bool child_ignored;

	// Owner: session.
	bool joined_own;       // own_overlay is another run's
	bool pausable, paused; // pid 1 can stop all processes; has stopped them

	// Owner: sbx exec. The first is in pid 1, the second in the supervisor.
	struct exec *exec;
	struct exec_clients *clients;

	// Owner: mount.
	int *mounts;         // descriptors, by mount of the plan; -1: none
	unsigned made;       // box side: inodes that sbx made on the tmpfs
	bool masked[2];      // box side: a mask exists for files; for directories
	bool orphans_reaped; // host side: another process reaps orphans
	struct identity prepared_of[PREPARED_MAX]; // originals of `prepared`

	// Owner: postcheck.
	unsigned journal_count;
	const struct share *share; // checked directories, by git's index; NULL: unknown
	int journal_problem;       // errno
	bool due_failed;
	bool cache_disk_full;

	// Owner: sshagent.
	pid_t agent_processes[2];
	struct agent_record *agent;
	// Owner: record.
	char record_name[64];
	bool fronted;         // the front made the record
	const char *unlisted; // verbs that cannot find this run, and why; or NULL
	uint64_t record_seen; // count of refusals at the last look
	pid_t opener;         // pid; 0: none
	bool opener_ended;    // before the box, or by a signal
	struct opener_record *opened;

	struct proxy *proxy;
	struct events *events;
	struct ask *ask;
	// Connects the box's `socket` to the proxy. Returns 0 or -errno. Tier landlock.
	int (*relay)(const struct run *run, int socket, const struct sockaddr_storage *to);

	// Executes a command that came on the control socket. Takes `client` and `fds`.
	void (*execute)(const struct plan *plan, struct run *run,
			const struct terminal_wish *terminal, int client, int fds[]);
	bool watched; // a client waits for `denied`
	// Sends a denial. `pid` 0: unknown; `time`: steady clock.
	void (*denied)(const struct run *run, pid_t pid, int64_t time, const struct denial *denial);

	enum { LOCK_NONE, LOCK_READY, LOCK_DONE } lock; // supervisor's filter (net/setup/lock.c)

	// Owner: steps.
	int64_t began; // steady clock, milliseconds
	int64_t acts;  // milliseconds; the box may act from then on
	uint32_t host_nanoseconds[STEPS_MAX];
	struct message message;
};
