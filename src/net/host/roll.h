// The roll of live runs: a file for each below the state directory, by which sbx ps, stop, kill,
// wait, allow and deny find it. No box sees that directory, as none sees the state.
//
// Who is alive is not what the file says: the supervisor holds a lock on it (fcntl(2), F_SETLK),
// which no fork inherits and which ends with the process, however it ends. The kernel names its
// holder in the numbers of who asks, so that no pid is taken for the run that had it before.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process_stat.h"

struct denials;
struct findings;
struct plan;
struct run;

#define ROLL_DIRECTORY "live"
#define ROLL_SOCKET    ".socket" // behind a file's name: for sbx allow, deny and exec
#define ROLL_MAGIC     UINT64_C(0x33306c6c6f726273) // and its version
enum { ROLL_NAME = 128, ROLL_PATH = 1024, ROLL_COMMAND = 256, ROLL_PORTS = 8 };

// Written in one piece, into a file that is the caller's alone; texts that do not fit are cut.
struct roll_entry {
	uint64_t magic;
	struct process_place place; // of the supervisor
	int32_t supervisor, init;   // in its numbers
	int64_t begun;              // milliseconds since the boot
	uint32_t landlock;          // 1: the tier, in which nothing ends with `init` by itself
	enum roll_network { ROLL_NONE, ROLL_HOST, ROLL_PROXY } network;
	struct roll_ports {
		uint32_t count;
		struct roll_port {
			uint16_t inside, outside;
		} all[ROLL_PORTS];
	} ports; // written again when one comes or goes
	char session[ROLL_NAME], project[ROLL_PATH], command[ROLL_COMMAND];
	// Written again while the run lasts, and at its end.
	uint32_t denials; // different ones
	enum roll_end {
		ROLL_LIVES,
		ROLL_KILLED, // sbx kill, or sbx stop after its time, ends the box
		// `status` is what sbx run returned.
		ROLL_EXIT,
		ROLL_SIGNAL,
		ROLL_LIMIT,
		ROLL_FAILED,
		ROLL_ENDS
	} ended;
	int32_t status;
};

// Pure. False for anything else than a whole entry of this version.
bool roll_parse(const void *bytes, size_t length, struct roll_entry *ret_entry);

// The file and the socket of a run, in the directory of the roll.
void roll_remove(int roll, const char *name);
// The step. A run that cannot be noted goes on, and says so at its end: roll_note().
int roll_host(const struct plan *plan, struct run *run);
int roll_undo(const struct plan *plan, struct run *run);
// In each turn of the loop; writes only when there are more.
void roll_turn(struct run *run, const struct denials *denials);
// Whether sbx kill or sbx stop has ended the box.
bool roll_is_killed(const struct run *run);
// For those who wait for the run: `end` is one of the words that follow, from ROLL_EXIT on.
void roll_end(struct run *run, const char *end, int status);
extern const char *const roll_ends[ROLL_ENDS];
// That sbx ps, or sbx allow, could not find it.
void roll_note(const struct run *run, struct findings *found);
