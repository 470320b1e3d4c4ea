// The caller's runs, by their records (boxes/record.h). `sbx ps` lists those that live; stop, kill,
// wait, exec, allow and deny name them.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "boxes/record.h"

struct arena;

struct live_box {
	char id[32]; // the supervisor's pid; "PID@NAMESPACE" in another pid namespace
	pid_t run;   // the supervisor's pid here; 0: not visible
	char name[RECORD_NAME];
	struct record_entry entry;
	uint64_t age; // milliseconds
	bool other;   // another version's: `command` is a text for people
	bool inside;  // the entry's pids are of this pid namespace
	// How the run ended (boxes/record.h), "ending" while its sbx lives, or "unknown". NULL: it
	// lives. `status` is what sbx run returned, or -1.
	const char *end;
	int status;
};

enum { BOXES_MAX = 1024, BOXES_BYTES = 64 << 20 }; // strings are in the arena that boxes_list() got

struct boxes {
	struct live_box *all;
	unsigned count;
};

// Returns -1 with the error said.
enum boxes_which { BOXES_LIVE, BOXES_ALL };
int boxes_list(struct arena *arena, enum boxes_which which, struct boxes *ret_boxes);
// By id or name of a session. NULL with the error said: none or several match, or the run is in
// another pid namespace or machine.
const struct live_box *boxes_find(const struct boxes *boxes, const char *id);

// The pidfd proves that this is the listed run, though its pid may be another process's by now.
struct held_box {
	int process;
	struct record record;
};
// -1 without an error: it has ended, or `run` is 0.
int boxes_hold(struct arena *arena, const struct live_box *box, struct held_box *ret_held);
void boxes_release(struct held_box *held);
// Finds and holds the live run of this id or session. NULL with the error said.
const struct live_box *boxes_live(struct arena *arena, const char *id, struct held_box *ret_held);
// A pidfd of the box's first process; -1: unknown, or ended.
int boxes_init(const struct live_box *box, const struct held_box *held);
// Called before the box is killed: notes in the record that a person killed it.
void boxes_mark_killed(const struct held_box *held);

// The newest run of this id or session, live or ended. -1 with the error said.
int boxes_any(struct arena *arena, const char *id, struct record *ret_record);
// The file of its output (report/output_ring.h). -1 with the error said.
int boxes_output(const struct record *record, const char *id);

// Prints the JSON of a run that has ended: what it noted, else `end` and `status`, and its output.
// Returns the exit status of sbx.
int boxes_print_result(const struct record *record, const char *id, const char *end, int status);

// Memory (bytes) and CPU time that its processes use now. False: unknown.
bool boxes_usage(const struct live_box *box, uint64_t *ret_memory, uint64_t *ret_microseconds);
