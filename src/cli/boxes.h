// The caller's live runs, by the roll (net/host/roll.h): sbx ps shows them; sbx stop, kill, wait,
// allow and deny name them.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "net/host/roll.h"

struct arena;

struct live_box {
	char id[32]; // the supervisor's pid; with its pid namespace behind it where that is another
	pid_t run;   // the supervisor, as this process sees it; 0: it does not
	char name[64]; // of its file on the roll
	struct roll_entry entry;
	uint64_t age; // milliseconds
	bool other;   // of another version of sbx: the entry has a command for people alone
	bool inside;  // the entry's numbers of processes are of this namespace
};

enum {
	BOXES_MAX = 1024,
	BOXES_BYTES = 16 << 20
}; // the bytes: of an arena that holds the words of all

struct boxes {
	struct live_box *all;
	unsigned count;
};

// What dead runs have left on the roll is removed. -1 with the error said.
int boxes_list(struct arena *arena, struct boxes *ret_boxes);
// Of these, by its id or the name of its session. NULL with the error said: there is none or more
// than one, or another pid namespace or machine has it.
const struct live_box *boxes_find(const struct boxes *boxes, const char *id);
// The directory of the roll. -1: there is none, or an error that is said.
int boxes_roll(struct arena *arena);

// A run that is certainly the listed one, whatever process has its number by now.
struct held_box {
	int process; // pidfd of the supervisor
	int file;    // on the roll
};
// -1 without an error: it has ended, or `run` is 0.
int boxes_hold(struct arena *arena, const struct live_box *box, struct held_box *ret_held);
void boxes_release(struct held_box *held);
// A pidfd of the first process of the box itself; -1: it is not known, or has ended.
int boxes_init(const struct live_box *box, const struct held_box *held);
// So that the run knows by whom: before its box is killed.
void boxes_mark_killed(const struct held_box *held);
// How it ended, and what sbx run returned; NULL: it has not said so.
const char *boxes_status(const struct held_box *held, int *ret_status);

// What the newest run of this id, or session, printed in the background, whether it lives or not:
// the file (report/output_ring.h). -1 with the error said.
int boxes_output(struct arena *arena, const char *id);

// Prints the result in JSON of a run that has ended: what it noted in the file of its output and
// that output; where there is none (-1), `end` and `status`. Returns the status to end with.
int boxes_print_result(int file, const char *id, const char *end, int status);

// What its processes take now. False: not known.
bool boxes_usage(const struct live_box *box, uint64_t *ret_memory, uint64_t *ret_microseconds);
