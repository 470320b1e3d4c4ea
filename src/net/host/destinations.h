// What the supervisor remembers of a run's connections: for the final report, the log, and their
// owners.
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
	SEEN_MAX = 256, // destinations: allowed ones, and others
};

struct name_seen {
	struct conn_record record; // sums of all alike
	pid_t pid;                 // of the program; 0: gone
	char program[OWNER_NAME];
	struct audit_count unlogged;
	unsigned short noted; // refusals.c: index of the denial + 1; 0: none
};

struct seen_list {
	unsigned count;
	uint64_t more;
	struct name_seen all[SEEN_MAX];
};

struct connections {
	struct seen_list allowed, refused;
	struct owner_search who;
	struct audit audit;
	struct audit_count unlogged[VERDICTS]; // of unlisted destinations
	struct audit_count unlogged_questions;
	struct host_questions questions;
};

struct connections *seen_new(int owners, const char *project);
// Handles a worker's report; seeks the owner of a new destination.
void seen_take(const struct plan *plan, const struct run *run, struct connections *connections,
	       const struct worker_event *report, struct orders *orders);
void seen_end(const struct plan *plan, struct connections *connections);
