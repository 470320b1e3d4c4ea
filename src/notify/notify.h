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

// Begins to answer at the first question. The kernel never runs an answered call: what the box
// changes meanwhile counts for nothing.
int notify_turn(const struct plan *plan, struct run *run, short events, struct denials *denials);

// The thread reads the path, lets the call go on, then compares box and host. Nothing is decided: a
// box that changes things makes the report wrong. Only bind on the host's network is decided.

int explain_plan(struct plan *plan);

// False: it is decided.
bool explain_answer(struct looker *look, const struct question *question);
// Waits at most until then for a look that began.
enum { EXPLAIN_WAIT = 50 };
void explain_take(const struct plan *plan, const struct run *run, struct denials *denials,
		  int64_t until);

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
	int notes, root; // the root of its first process
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
	// Refuse nothing: the hash of a name, and PLAIN_* (look.c).
	uint64_t plain[LOOK_DIRECTORIES];
};

struct explained {
	const char *kind, *flag, *why;
	bool directory;
	pid_t pid;
	char program[32];
	char paths[2 * PATH_MAX]; // tried, and to be allowed
};

// Its directory refuses nothing, and it is not a link.
bool look_is_plain(struct looker *look, const struct tried *tried);
// False: a name that is nowhere.
bool look_at(struct looker *look, const struct tried *tried);

// Only sbx holds the descriptors that come back.

struct question {
	const struct plan *plan;
	const struct run *run;
	const struct seccomp_notif *asked;
	bool apart; // another current directory and umask
};

// -EPERM where pidfd_getfd(2) is refused (Docker's default filter).
int asker_descriptor(const struct question *question, int number);

// Or the file behind it, O_PATH.
int asker_file(const struct question *question, int number);

// O_PATH. Magic links of /proc would be ours: only the asker's own descriptors are known, by name.
int asker_open(const struct question *question, int directory, const char *path, int flags);

// Findings by its number belong to it.
bool asker_waits(const struct question *question);

// From the root of its box. False: unknown, or too long.
bool asker_whole_path(uint32_t pid, int directory, const char *path, char whole[PATH_MAX]);

// A number after a name in the asker's /proc/PID/status, or -1.
long asker_status(const struct question *question, const char *name, int base);

// Or it is nowhere.
bool asker_may_change(const struct plan *plan, int fd);

// False: not such a call. kill(0): who left the caller's group cannot join it again. Terminals: by
// who is in front just now.
bool asker_session(const struct question *question);

// Landlock does not see them.

// 0 or -errno; 1: not such a call.
int metadata_answer(const struct question *question, const char *call);

// 0 or -errno; 1: not such a call.
int sockets_answer(const struct question *question, const char *call);

// `own`, or below `init`: by /proc where the group has no leader.
bool foreground_is_ours(pid_t group, pid_t own, pid_t init);
