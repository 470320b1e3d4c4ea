// --report-fd, --report-file and --status-fd: what a run is refused, at once, and how it ends, as
// JSON lines for a program (sbx-json(5), form event). Who reads slowly, or not at all, holds
// nothing up: what does not fit in the queue is counted.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

struct denials;
struct findings;
struct hit;
struct invocation;
struct outcome;
struct plan;
struct run;

enum { EVENTS_QUEUE_MAX = 128 << 10 }; // bytes; the lines of the end have room beside

struct events {
	int fd;      // never waits, and no process of the box has it; -1: nobody asked, or reads
	bool socket; // which takes a line at a time
	struct out queue; // lines
	size_t sent;      // bytes of it
	uint64_t lost;    // events that had no room
	unsigned written; // denials
	int problem;      // errno of a write
};

void events_init(struct events *events);

// First half of the plan: the caller's descriptor is looked at before sbx has any of its own.
int events_plan(struct plan *plan, const struct invocation *invocation);
// Host step, when the view is decided: opens the option's file (outside/outside.h). -1 with
// the error said when the box may write there.
int events_host(const struct plan *plan, struct run *run);

// With --status-fd: the command has started.
void events_start(const struct plan *plan, const struct run *run);
// The denials that are new.
void events_denials(struct events *events, const struct denials *denials);
// What waits to become writable, or -1.
int events_waiting(const struct events *events);
// Writes what is taken at once.
void events_write(struct events *events);

// The limits that were hit, the report of --report json but for --status-fd, and the exit. Waits
// for a reader at most END_MILLISECONDS. A line for people in `said` when not all could be written.
void events_end(const struct plan *plan, const struct run *run, const struct outcome *outcome,
		int status, const struct hit *hits, int count, const struct findings *failure,
		struct out *said);
