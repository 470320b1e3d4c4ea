// The caller's live runs, as sbx ps shows them and sbx stop, kill and wait name them.
//
// A run is on the roll (net/host/roll.h); one that could not be noted there, as with a full disk,
// or of an older version, is found by its process (struct running), and less is known of it.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "net/host/roll.h"

struct arena;

// The caller's runs that go on now, whatever their network.
enum { RUNNING_MAX = 1024, RUNNING_COMMAND_MAX = 200 };

struct running {
	pid_t run;      // of the supervisor
	bool proxy;     // by a name that anybody can take: sbx allow and sbx deny ask its owner
	bool proved;    // it is this program, with a verb that makes a box
	uint64_t age;   // milliseconds
	uint64_t start; // in clock ticks since boot
	char command[RUNNING_COMMAND_MAX + 1]; // with the words of sbx; bytes as they are
};

// Whether it still goes on; asked after a pidfd was opened, that one is the run's.
bool running_lasts(const struct running *running);

// By number; returns how many, at most RUNNING_MAX. Of those that are not `proved` it is a list for
// people, and decides nothing.
unsigned running_list(struct running ret_list[RUNNING_MAX]);

struct live_box {
	char id[32]; // the supervisor's pid; with its pid namespace behind it where that is another
	pid_t run;   // the supervisor, as this process sees it; 0: it does not
	char name[64];           // of its file on the roll, "": it has none
	struct roll_entry entry; // of one without a file only the command
	struct running running;  // of one without a file
	uint64_t age;            // milliseconds
	bool inside;             // the entry's numbers of processes are of this namespace
};

enum { BOXES_BYTES = 16 << 20 }; // of an arena that holds the words of all

struct boxes {
	struct live_box *all;
	unsigned count;
};

// What dead runs have left on the roll is removed. -1 with the error said.
int boxes_list(struct arena *arena, struct boxes *ret_boxes);
// Of these, or NULL.
const struct live_box *boxes_find(const struct boxes *boxes, const char *id);

// A run that is certainly the listed one, whatever process has its number by now.
struct held_box {
	int process; // pidfd of the supervisor
	int file;    // on the roll, or -1
};
// -1 without an error: it has ended, or `run` is 0.
int boxes_hold(struct arena *arena, const struct live_box *box, struct held_box *ret_held);
void boxes_release(struct held_box *held);
// A pidfd of the first process of the box itself; -1: it is not known, or has ended.
int boxes_init(const struct live_box *box, const struct held_box *held);
// 1: what sbx run returned; 0: it has not said so.
int boxes_status(const struct held_box *held, int *ret_status);

// What its processes take now. False: not known.
bool boxes_usage(const struct live_box *box, uint64_t *ret_memory, uint64_t *ret_microseconds);
