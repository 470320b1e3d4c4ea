// The answers to calls that the second filter passes on, by a thread of the supervisor: a call that
// waits (for a server, a slow file system) does not delay limits and --timeout.
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

// Begins to answer at the first question. The kernel never runs an answered call: later changes by
// the box have no effect.
int notify_turn(const struct plan *plan, struct run *run, short events, struct denials *denials);

// The thread reads the path, lets the call continue, then compares box and host. It decides
// nothing, except bind on the host's network: a box can only falsify the report.

int explain_plan(struct plan *plan);

// False: it was decided.
bool explain_answer(struct looker *look, const struct question *question);
// Milliseconds to wait for a look that has begun.
enum { EXPLAIN_WAIT = 50 };
void explain_take(const struct plan *plan, const struct run *run, struct denials *denials,
		  int64_t until);

enum look_wish {
	LOOK_READ,
	LOOK_EXECUTE,
	LOOK_CONNECT, // calls that change nothing come first
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
	int notes, root; // root: of the box's first process
	_Atomic bool busy;
	uint32_t pid;
	char program[32];
	struct tried {
		enum look_wish wish;
		unsigned flags;
		char path[PATH_MAX];
	} tried[2];
	unsigned count;
	const char *named;
	// Directories that refuse nothing: hash of the name, and PLAIN_* (look.c).
	uint64_t plain[LOOK_DIRECTORIES];
};

struct explained {
	const char *kind, *flag, *why;
	bool directory;
	pid_t pid;
	char program[32];
	char paths[2 * PATH_MAX]; // the tried one, and the one to allow
};

// The directory refuses nothing, and it is no link.
bool look_is_plain(struct looker *look, const struct tried *tried);
// False: the name exists nowhere.
bool look_at(struct looker *look, const struct tried *tried);

// Descriptors of the asker, in sbx's hands only.

struct question {
	const struct plan *plan;
	const struct run *run;
	const struct seccomp_notif *asked;
	bool apart; // has a separate current directory and umask
};

// -EPERM where pidfd_getfd(2) is refused (Docker's default filter).
int asker_descriptor(const struct question *question, int number);

// Or of the same file, O_PATH.
int asker_file(const struct question *question, int number);

// O_PATH. Magic links of /proc would be this process's: only the asker's own descriptors are known,
// by name.
int asker_open(const struct question *question, int directory, const char *path, int flags);

// True: the question is still valid, so its pid was the asker's.
bool asker_waits(const struct question *question);

// From the box's root. False: unknown, or too long.
bool asker_whole_path(uint32_t pid, int directory, const char *path, char whole[PATH_MAX]);

// A number after a name in the asker's /proc/PID/status, or -1.
long asker_status(const struct question *question, const char *name, int base);

// The box may write it, or no host path leads to it.
bool asker_may_change(const struct plan *plan, int fd);

// False: not such a call. kill(0): a process that left the caller's group cannot join it again.
// Terminals: by the foreground of the moment.
bool asker_session(const struct question *question);

// Metadata and sockets, which Landlock does not see.

// 0 or -errno; 1: not such a call.
int metadata_answer(const struct question *question, const char *call);

// 0 or -errno; 1: not such a call.
int sockets_answer(const struct question *question, const char *call);

// `group` is `own`, or below `init`: without a leader by a walk of /proc.
bool foreground_is_ours(pid_t group, pid_t own, pid_t init);
