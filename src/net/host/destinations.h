// What the supervisor remembers of a run's connections: for the report at its end, for the log, and
// whose each was.
#pragma once

#include <stdbool.h>

#include "net/host/audit.h"
#include "net/host/orders.h"
#include "net/host/questions.h"
#include "net/host/socket_owner.h"
#include "net/rules/control.h"

struct plan;
struct run;

enum {
	SEEN_MAX = 256, // destinations listed singly: of those that were let through, and of the
			// others
};

// One destination of the run.
struct name_seen {
	struct conn_record record; // with the sums of all that were alike
	pid_t pid;                 // of the program, 0 when it was gone
	char program[OWNER_NAME];
	struct audit_count unlogged;
	unsigned short noted; // refusals.c: its place among the run's denials + 1; 0: not yet
};

struct seen_list {
	unsigned count;
	uint64_t more; // connections to others
	struct name_seen all[SEEN_MAX];
};

struct connections {
	struct seen_list allowed, refused;
	struct owner_search who;
	struct audit audit;
	struct audit_count unlogged[VERDICTS]; // of destinations without a place
	struct audit_count unlogged_questions; // for names, which have no place
	struct host_questions questions;
};

// `project` is for the log, and may be NULL. NULL when there is no memory.
struct connections *seen_new(int owners, const char *project);
// A worker's word of connections: of a new destination the owner is sought.
void seen_take(const struct plan *plan, const struct run *run, struct connections *connections,
	       const struct worker_event *report, struct orders *orders);
// The end of the log.
void seen_end(const struct plan *plan, struct connections *connections);
