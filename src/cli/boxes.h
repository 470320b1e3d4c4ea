// The caller's runs, by their records (boxes/record.h): sbx ps shows those that live; sbx stop,
// kill, wait, exec, allow and deny name them.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "boxes/record.h"

struct arena;

struct live_box {
	char id[32]; // the supervisor's pid; with its pid namespace behind it where that is another
	pid_t run;   // the supervisor, as this process sees it; 0: it does not
	char name[RECORD_NAME];
	struct record_entry entry;
	uint64_t age; // milliseconds
	bool other;   // of another version of sbx: the entry has a command for people alone
	bool inside;  // the entry's numbers of processes are of this namespace
	// One that has ended: how (boxes/record.h), "ending" while its sbx lives, or "unknown"; and
	// what sbx run returned, or -1. NULL: it lives.
	const char *end;
	int status;
};

enum {
	BOXES_MAX = 1024,
	BOXES_BYTES = 64 << 20
}; // the bytes: of an arena that holds the words of all

struct boxes {
	struct live_box *all;
	unsigned count;
};

// Changes nothing. -1 with the error said.
enum boxes_which { BOXES_LIVE, BOXES_ALL };
int boxes_list(struct arena *arena, enum boxes_which which, struct boxes *ret_boxes);
// Of these, by its id or the name of its session. NULL with the error said: there is none or more
// than one, or another pid namespace or machine has it.
const struct live_box *boxes_find(const struct boxes *boxes, const char *id);

// A run that is certainly the listed one, whatever process has its number by now.
struct held_box {
	int process; // pidfd of the supervisor
	struct record record;
};
// -1 without an error: it has ended, or `run` is 0.
int boxes_hold(struct arena *arena, const struct live_box *box, struct held_box *ret_held);
void boxes_release(struct held_box *held);
// The one of this id or session, held. NULL with the error said.
const struct live_box *boxes_live(struct arena *arena, const char *id, struct held_box *ret_held);
// A pidfd of the first process of the box itself; -1: it is not known, or has ended.
int boxes_init(const struct live_box *box, const struct held_box *held);
// So that the run knows by whom: before its box is killed.
void boxes_mark_killed(const struct held_box *held);

// The newest run of this id, or session, whether it lives or not. -1 with the error said.
int boxes_any(struct arena *arena, const char *id, struct record *ret_record);
// The file of its output (report/output_ring.h). -1 with the error said.
int boxes_output(const struct record *record, const char *id);

// Prints the result in JSON of a run that has ended: what it noted, else `end` and `status`, and
// its output. Returns the status to end with.
int boxes_print_result(const struct record *record, const char *id, const char *end, int status);

// What its processes take now. False: not known.
bool boxes_usage(const struct live_box *box, uint64_t *ret_memory, uint64_t *ret_microseconds);
