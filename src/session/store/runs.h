// The commands that run in a session: a slot for each in a file, by which others find its mounts.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process_stat.h"

// Whose supervisor lives is locked (fcntl(2), F_SETLK): the lock ends with it, also elsewhere.
// Written in one piece by the run's own supervisor, into a file that is the caller's alone.
struct run_record {
	uint64_t magic;
	struct process_place place; // where these are numbers of processes
	pid_t supervisor, init;
	uint64_t init_start; // in clock ticks since boot: a number that comes again is not it
	int user, view;      // descriptors of the supervisor: the box's namespaces
	uint64_t user_inode, view_inode;
	uint64_t roots;    // bits: which of the session's it has mounted
	char command[256]; // for people
};

// Looks the start of a process up: 0 when there is none.
uint64_t runs_start_of(pid_t pid);

// The number of its slot, or -1, and the descriptor by which the slot is locked. One at a time:
// under the session's gate.
int runs_write(int session, const struct run_record *record, int *ret_slots);
void runs_forget(int slots, unsigned slot);

// The next record whose supervisor lives: 1, 0 at the end, -1. What a killed one left is waited
// for, until its last process is dead, and cleared.
struct runs {
	int fd;
	unsigned slot;
};
int runs_open(int session, struct runs *ret_runs);
int runs_next(struct runs *runs, struct run_record *ret_record);
void runs_close(struct runs *runs);

// Whether the record that runs_next() gave last is still there, and its supervisor alive.
bool runs_lasts(const struct runs *runs, const struct run_record *record);

// Whether the supervisor of one lives, and which process that is: 0 where it has no number here.
// Nothing is cleared.
bool runs_live(int session, pid_t *ret_run);

// All of them are dead, for the caller holds the session alone: waits for the last process.
int runs_settle(int session);

// Sends it to the supervisor of the record and to nobody else.
int runs_signal(const struct runs *runs, const struct run_record *record, int number);

// Descriptors of the namespaces of a living run's box, proved by their inodes. Rule 15.
int runs_enter(const struct runs *runs, const struct run_record *record, int *ret_user,
	       int *ret_view);
