// Finds the caller's runs by their records (boxes/record.h). `sbx ps` lists live ones. sbx stop,
// kill, wait, exec, allow and deny take one's id.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "boxes/record.h"

struct arena;
struct out;

struct live_box {
	char id[32]; // the supervisor's pid; "PID@NAMESPACE" in another pid namespace
	pid_t run;   // the supervisor's pid here; 0: not visible
	char name[RECORD_NAME];
	struct record_entry entry;
	uint64_t age; // milliseconds
	bool other;   // of another version; `command` is a text for people
	bool inside;  // the entry's pids are of this pid namespace
	// How the run ended (record_ends[]), "ending" while its supervisor lives, or "unknown".
	// NULL if it lives. `status` is the exit status of sbx run, or -1.
	const char *end;
	int status;
};

enum { BOXES_MAX = 2048, BOXES_BYTES = 64 << 20 }; // BOXES_BYTES: size of boxes_list()'s arena

struct boxes {
	struct live_box *all;
	unsigned count;
};

enum boxes_which { BOXES_LIVE, BOXES_ALL };
int boxes_list(struct arena *arena, enum boxes_which which, struct boxes *ret_boxes);
// Finds a run by id or name of a session. Returns NULL if none or several match, or the run is in
// another pid namespace or machine.
const struct live_box *boxes_find(struct arena *arena, const struct boxes *boxes, const char *id);
// Returns "exit 3; its output: sbx logs ID" for the id of an ended run whose record is stored, or
// NULL.
const char *boxes_ended(struct arena *arena, const char *id);

// A listed run with a pidfd: its pid may be another process's by now.
struct held_box {
	int process;
	struct record record;
};
// Returns -1 without an error if the run has ended, or `run` is 0.
int boxes_hold(struct arena *arena, const struct live_box *box, struct held_box *ret_held);
void boxes_release(struct held_box *held);
// Finds and holds the live run of this id or session. Returns NULL on failure.
const struct live_box *boxes_live(struct arena *arena, const char *id, struct held_box *ret_held);
// Returns a pidfd of the box's pid 1, or -1 if it is unknown or has ended.
int boxes_init(const struct live_box *box, const struct held_box *held);
// Notes in the record that a person kills the box. Call it before the kill.
void boxes_mark_killed(const struct held_box *held);

// Opens the newest run of this id or session, live or ended.
int boxes_any(struct arena *arena, const char *id, struct record *ret_record);
// Opens the file of the run's output (report/output_ring.h).
int boxes_output(const struct record *record, const char *id);

// Prints the JSON of a run that has ended: its result, else `end` and `status`, and its output.
// Returns the exit status of sbx.
int boxes_print_result(const struct record *record, const char *id, const char *end, int status);

// Puts published ports. Text: only those with another number outside, on stderr.
void boxes_put_ports(struct out *out, const struct record_ports *ports);
// Gets memory (bytes) and CPU time that the run's processes use. Returns false if unknown.
bool boxes_usage(const struct live_box *box, uint64_t *ret_memory, uint64_t *ret_microseconds);
