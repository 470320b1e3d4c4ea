// The walls around a worker of the proxy.
#pragma once

struct plan;
struct run;

// Landlock without a rule; the filter of system calls; of these readlinkat(2), too, and what is
// written to a descriptor that is open may be a file; neither socket(2) nor connect(2).
// CONFINE_OPENER: the opener's shorter list of calls, none of which makes a socket or a connection.
// CONFINE_UNWATCHED: no lock, but a test that the kernel watches no connection for it.
enum {
	CONFINE_FILES = 1,
	CONFINE_CALLS = 2,
	CONFINE_LINKS = 4,
	CONFINE_UNCONNECTED = 8,
	CONFINE_OPENER = 16,
	CONFINE_UNWATCHED = 32,
};
// Both, but where a test takes one away: asked while the environment still is there.
unsigned confine_locks(void);
// What a worker has of the supervisor's and need not: the environment, the command line and the
// plan, which is gone afterwards.
void confine_forget(const struct plan *plan, const struct run *run);
// The locks of a worker; 0, or -1 with errno.
int confine_worker(unsigned locks);
