// The room notify owns the answers to system calls of a box that the kernel asks about
// (SECCOMP_RET_USER_NOTIF). A thread gives the answers: a slow server or file system does not delay
// limits and --timeout. Uses: base, nouns, report, seccomp, view/paths. Begin with notify.c.
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

// Begins the thread at the first call, then takes its denials.
int notify_turn(const struct plan *plan, struct run *run, short events, struct denials *denials);

// For --explain and refused writes the thread reads the path, lets the call continue, then compares
// box and host. The thread decides nothing: a box can only falsify the report.

int explain_plan(struct plan *plan);

// Returns false for a call that sbx must decide.
bool explain_answer(struct looker *look, const struct question *question);
// Milliseconds to wait for a look that has begun.
enum { EXPLAIN_WAIT = 50 };
void explain_take(const struct plan *plan, const struct run *run, struct denials *denials,
		  int64_t until);

enum look_wish {
	LOOK_READ,
	LOOK_EXECUTE,
	LOOK_CONNECT, // the last that changes nothing
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
	int notes, root; // root: the box's root directory
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
	// Directories that refuse the box nothing: a hash of the name, with bits PLAIN_* (look.c).
	uint64_t plain[LOOK_DIRECTORIES];
};

struct explained {
	const char *kind, *flag, *why;
	bool directory;
	pid_t pid;
	char program[32];
	char paths[2 * PATH_MAX]; // the path that was tried, then the one to allow
};

// Whether the directory is known to refuse nothing, and no link may lead elsewhere.
bool look_is_plain(struct looker *look, const struct tried *tried);
// Returns false if the name exists neither in the box nor on the host.
bool look_at(struct looker *look, const struct tried *tried);

// A call that waits for an answer. The asker is the thread that made it. The kernel never runs an
// answered call: its arguments may change meanwhile.

struct question {
	const struct plan *plan;
	const struct run *run;
	const struct seccomp_notif *asked;
	bool apart; // this thread has a separate current directory and umask
};

// Copies the asker's descriptor. Returns -EPERM where pidfd_getfd(2) is refused (Docker's default
// filter).
int asker_descriptor(const struct question *question, int number);

// If pidfd_getfd(2) is refused: returns an O_PATH descriptor of the same file.
int asker_file(const struct question *question, int number);

// Returns an O_PATH descriptor. Refuses magic links of /proc, which would lead to this process,
// except those of the asker's descriptors.
int asker_open(const struct question *question, int directory, const char *path, int flags);

// Whether the call still waits: while it does, its pid is the asker's.
bool asker_waits(const struct question *question);

// Makes an absolute path below the asker's root. Returns false if it is unknown or too long.
bool asker_whole_path(uint32_t pid, int directory, const char *path, char whole[PATH_MAX]);

// Returns the number after `name` in the asker's /proc/PID/status, or -1.
long asker_status(const struct question *question, const char *name, int base);

// Whether the box may write the file, or no path of the host leads to it.
bool asker_may_change(const struct plan *plan, int fd);

// Answers kill(0) and changes of a terminal. Returns false for other calls. Allows kill(0) outside
// of the process group of sbx's caller, which no process can join again.
bool asker_session(const struct question *question);

// Both return 0, -errno, or 1 for another call.
int metadata_answer(const struct question *question, const char *call);
int sockets_answer(const struct question *question, const char *call);

// Whether `group` is `own`, or has a process below `init`. Searches /proc if the group's leader is
// gone.
bool foreground_is_ours(pid_t group, pid_t own, pid_t init);
