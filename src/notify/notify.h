// The answers to calls that the second filter passes on, given by a thread of the supervisor: what
// a call waits for (a server, a slow file system) keeps neither limits nor --timeout from being
// kept.
//
// The room notify owns the answers to system calls of a box that the kernel asks about. Uses: base
// nouns report seccomp view/paths. Begin with notify.c.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct denials;
struct looker;
struct question;
struct plan;
struct run;
struct seccomp_notif;

// Events of run->listener before run->asked, or of run->explained: begins to answer at the first
// question, which most boxes never have. -1 with the error said. The kernel never runs a call that
// is answered here, so what the box changes in its memory, descriptors and directories meanwhile
// counts for nothing.
int notify_turn(const struct plan *plan, struct run *run, short events, struct denials *denials);

// Which writes a run was refused and, with --explain, which files, programs and sockets it has not.
// The second filter asks a thread before opens for writing and changes of names, with --explain
// before reads, execve and connect as well; it reads the path, lets the call go on, and then looks
// whether the box allows what the host would allow. Nothing is decided here: what the box changes
// meanwhile only makes a report wrong. Only bind in a box on the host's network is decided, with or
// without --explain: by notify.h.

// Second half of the plan.
int explain_plan(struct plan *plan);

// Lets a call go on, and sends its refusal to the socket `look->notes`. False: it is one that is
// decided.
bool explain_answer(struct looker *look, const struct question *question);
// The refusals until now: of the loop. Waits until then at most for a look that began. Before a
// command's end that is EXPLAIN_WAIT milliseconds; a server's answer takes longer.
enum { EXPLAIN_WAIT = 50 };
void explain_take(const struct plan *plan, const struct run *run, struct denials *denials,
		  int64_t until);

// The thread compares a path of the box with the host's.

enum look_wish {
	LOOK_READ,
	LOOK_EXECUTE,
	LOOK_CONNECT, // those that change nothing come first
	LOOK_OPEN,
	LOOK_CREATE,
	LOOK_CHANGE,
	LOOK_MAKE,
	LOOK_REMOVE,
	LOOK_PUT
};

enum { LOOK_DIRECTORIES = 4096 };

struct looker {
	const struct plan *plan;
	const struct run *run;
	int notes, root;   // of the box: its first process's
	_Atomic bool busy; // at a call that went on
	uint32_t pid;      // who asks
	char program[32];
	struct tried {
		enum look_wish wish;
		unsigned flags; // of an open
		char path[PATH_MAX];
	} tried[2];
	unsigned count;
	const char *named; // the path that the asker named
	// Directories that refuse nothing: the hash of a name, and PLAIN_* (look.c).
	uint64_t plain[LOOK_DIRECTORIES];
};

// From there to the loop that reports.
struct explained {
	const char *kind, *flag, *why;
	bool directory; // that is what refuses
	pid_t pid;
	char program[32];
	char paths[2 * PATH_MAX]; // tried, and to be allowed; as long as they are
};

// Whether its directory is known as one in which this is not refused, and it is no link there.
bool look_is_plain(struct looker *look, const struct tried *tried);
// Sends a note when the box refuses what the host would allow. False when it is about a name that
// is nowhere.
bool look_at(struct looker *look, const struct tried *tried);

// Who asks by the second filter: its descriptors, and places as it names them. What comes back is
// a descriptor that sbx alone holds: the box can exchange its own, and changes nothing of this.

struct question {
	const struct plan *plan;
	const struct run *run;
	const struct seccomp_notif *asked;
	bool apart; // the answering process has another current directory and umask
};

// The very descriptor `number` of the asker's, or -errno; -EPERM where the machine refuses it
// (pidfd_getfd(2), as Docker's default filter does).
int asker_descriptor(const struct question *question, int number);

// The same, or where that is refused the file behind it, O_PATH.
int asker_file(const struct question *question, int number);

// What a path of the asker's leads to, O_PATH, with more open flags; -errno. Magic links of /proc
// would be ours: only those that stand for a descriptor of the asker's own are known, by name.
int asker_open(const struct question *question, int directory, const char *path, int flags);

// The process still waits: findings by its number belong to it.
bool asker_waits(const struct question *question);

// A path of the asker's from the root of its box. False when it is not known, or too long.
bool asker_whole_path(uint32_t pid, int directory, const char *path, char whole[PATH_MAX]);

// A number after a name in the asker's /proc/PID/status, or -1.
long asker_status(const struct question *question, const char *name, int base);

// What the descriptor refers to lies in what a box of tier landlock may write, or is nowhere.
bool asker_may_change(const struct plan *plan, int fd);

// Answers what reaches the caller's process group or sets its terminal; false: it is no such call.
// kill(0): a process that has left the caller's group cannot join it again, so it is still true
// when the kernel runs the call. Terminals: whatever descriptor, by who is in front just now.
bool asker_session(const struct question *question);

// Changes of a file's mode, owner, times and attributes, which Landlock does not see: done by the
// supervisor, on a separate descriptor, where the box may write.

// The call of this name: 0 or -errno. 1 when it is no such call.
int metadata_answer(const struct question *question, const char *call);

// Calls on sockets that the supervisor makes for the box: connect, listen, bind.

// The call of this name: 0 or -errno. 1 when it is no such call.
int sockets_answer(const struct question *question, const char *call);

// Whose a process group is.

// Whether a terminal's foreground group is of a run: its own group `own`, or one of the processes
// below `init`. By /proc, which is looked through where the group has no leader.
bool foreground_is_ours(pid_t group, pid_t own, pid_t init);
