// What the supervisor remembers of a run's connections: for the report at its end, for the log, and
// whose each was.
#pragma once

#include "net/host/audit.h"
#include "net/host/socket_owner.h"
#include "net/rules/control.h"

struct plan;
struct run;

enum {
	SEEN_MOST =
		256, // destinations told apart: of those that were let through, and of the others
	SOUGHT_MOST = 32, // whose owner is looked for
};

// One destination of the run.
struct seen {
	struct record record; // with the sums of all that were alike
	pid_t pid;            // of the program, 0 when it was gone
	char program[OWNER_NAME];
};

struct seen_list {
	unsigned count;
	uint64_t more; // connections to others
	struct seen all[SEEN_MOST];
};

// A new destination: logged when it is known whose it was.
struct sought {
	struct seen *seen;
	struct record record;
	int control; // the worker's that waits
	uint64_t token;
};

struct connections {
	struct seen_list allowed, refused;
	struct owner_search who;
	struct sought sought[SOUGHT_MOST]; // the first is being looked for
	unsigned sought_count;
	struct audit audit;
};

// NULL when there is no memory.
struct connections *seen_new(int owners);
// A worker's word of a destination; of a new one it is told when the owner is found. -1 when it
// does not listen.
int seen_take(const struct plan *plan, const struct run *run, struct connections *connections,
	      const struct worker_event *report, int control);
// Looks for owners, for a moment.
bool seen_seeks(const struct connections *connections);
int seen_look(const struct plan *plan, struct connections *connections);
// The end of the log.
void seen_end(const struct plan *plan, struct connections *connections);
