// The walls around the processes that read hostile bytes.
#pragma once

struct plan;
struct run;

// A worker of the proxy makes internet sockets, and pairs of connected streams; the agent's
// connector makes streams to sockets with a path; the others make no socket, connect none and send
// to no address. The relay of a language server may write to files that are open. A reader of what
// a box wrote opens files, and forks parsers (locked_run()).
enum confined {
	CONFINED_WORKER,
	CONFINED_OPENER,
	CONFINED_RELAY,
	CONFINED_FILTER,
	CONFINED_CONNECTOR,
	CONFINED_READER,
	CONFINED_ALL
};
// Landlock without a rule; the filter of system calls. CONFINE_UNWATCHED: no lock, but a test that
// the kernel watches no connection for it.
enum {
	CONFINE_FILES = 1,
	CONFINE_CALLS = 2,
	CONFINE_UNWATCHED = 4,
};
// Both, but where a test takes one away: asked while the environment still is there.
unsigned confine_locks(void);
// What a worker has of the supervisor's and need not: the environment, the command line and the
// plan, which is gone afterwards.
void confine_forget(const struct plan *plan, const struct run *run);
// These locks, for good; 0, or -1 with errno.
// A reader changes files below these directories alone, which are open.
int confine_below(enum confined who, unsigned locks, const int *writable, unsigned count);
static inline int confine(enum confined who, unsigned locks)
{
	return confine_below(who, locks, (const int *)0, 0);
}

// What the options of a run leave open of the supervisor's filter (lock.c).
enum {
	LEFT_INTERNET = 1, // sockets: there is a proxy
	LEFT_WALLS = 2,    // mounts in the box's view: one may have to be made again
	LEFT_ANSWERS = 4,  // the memory of the box's processes, and sockets for them
	LEFT_BPF = 8,
};
// For this process and all that it starts, for good; it has no_new_privs. 0, or -1 with errno.
int confine_supervisor(unsigned left);
void lock_plan(struct plan *plan);
const char *lock_text(const struct plan *plan); // for sbx plan
int lock_host(const struct plan *plan, struct run *run);
int lock_begin(const struct plan *plan, struct run *run); // once
