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
	SEEN_MAX = 256,  // destinations listed singly: of those that were let through, and of the
			 // others
	SOUGHT_MAX = 32, // whose owner is looked for
};

// One destination of the run.
struct name_seen {
	struct conn_record record; // with the sums of all that were alike
	pid_t pid;                 // of the program, 0 when it was gone
	char program[OWNER_NAME];
	bool known;           // whose it was, or that this is not known
	unsigned short noted; // refusals.c: its place among the run's denials + 1; 0: not yet
};

struct seen_list {
	unsigned count;
	uint64_t more; // connections to others
	struct name_seen all[SEEN_MAX];
};

// A new destination: logged when it is known whose it was. Or what is asked for: `question`.
struct sought {
	struct name_seen *seen;
	struct host_question *question;
	struct conn_record record;
	struct orders *orders; // to the worker that waits
	uint64_t token;
};

struct connections {
	struct seen_list allowed, refused;
	struct owner_search who;
	struct sought sought[SOUGHT_MAX]; // the first is being looked for
	unsigned sought_count;
	struct audit audit;
	struct host_questions questions;
};

// `project` is for the log, and may be NULL. NULL when there is no memory.
struct connections *seen_new(int owners, const char *project);
// A worker's word of a destination; a new one is reported when its owner is found.
void seen_take(const struct plan *plan, const struct run *run, struct connections *connections,
	       const struct worker_event *report, struct orders *orders);
// Looks for the program that asks; the question is known when it was found, or cannot be.
void seen_seek(const struct run *run, struct connections *connections,
	       struct host_question *question, const struct conn_record *record);
// Looks for owners, for a moment.
bool seen_seeks(const struct connections *connections);
void seen_look(const struct plan *plan, struct connections *connections);
// The end of the log.
void seen_end(const struct plan *plan, struct connections *connections);
