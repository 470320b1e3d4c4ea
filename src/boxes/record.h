// A run's record: the directory boxes/PID-TIME (src/README.md). Functions return -1 and set errno.
//
// The room boxes owns the records of runs: who lives, how a run ended, and the names by which a
// session or a tree finds its runs. Uses: base. Begin with record.h.
//
// Each process of the run locks byte 0 of `entry` (fcntl(2)). The process PID also locks byte 1,
// the check of a killed run byte 2.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process_stat.h"

struct arena;

#define RECORDS       "boxes"
#define RECORD_SOCKET "socket"
#define RECORD_OUTPUT "output"
#define RECORD_RESULT "result"
#define RECORD_MAGIC  UINT64_C(0x3430786f62786273)
enum { RECORD_NAME = 64, RECORD_SESSION = 128, RECORD_COMMAND = 256, RECORD_PORTS = 8 };

struct record_entry {
	uint64_t magic;
	struct process_place place;
	int32_t supervisor, init; // pids in the namespace of `place`
	uint64_t init_start;      // clock ticks since boot
	int64_t begun;            // milliseconds since boot
	uint32_t landlock;        // 1: tier landlock
	enum record_network { RECORD_NONE, RECORD_HOST, RECORD_PROXY } network;
	// A session's user and mount namespaces: descriptor numbers in the supervisor. `roots`:
	// bits of those mounted.
	int32_t user, view;
	uint64_t user_inode, view_inode, roots;
	char session[RECORD_SESSION], project[PATH_MAX], command[RECORD_COMMAND];
	struct record_ports {
		uint32_t count;
		struct record_port {
			uint16_t inside, outside;
		} all[RECORD_PORTS];
	} ports;
	uint32_t denials;
	uint32_t killed;
	enum record_end {
		RECORD_LIVES,
		RECORD_OVER, // only the supervisor still lives
		RECORD_EXIT,
		RECORD_SIGNAL,
		RECORD_LIMIT,
		RECORD_FAILED,
		RECORD_ENDS
	} end;
	int32_t status;
};
extern const char *const record_ends[RECORD_ENDS];

bool record_parse(const void *bytes, size_t length, struct record_entry *ret_entry);
void record_command(char *const *command, char text[RECORD_COMMAND]);

// records_directory() also makes the directory, and reports by fail().
int records_directory(const char *state);
int records_open(const char *state);

// Makes and locks the record .PID-TIME. Returns its directory.
int record_make(int boxes, char name[RECORD_NAME], int *ret_lock);
// Writes `entry`, locks byte 1, then renames the record to PID-TIME.
int record_enter(int boxes, int lock, const struct record_entry *entry, char name[RECORD_NAME]);
int record_name(int boxes, char name[RECORD_NAME], pid_t run);
void record_remove(int boxes, int record, const char *name);
void record_release(int boxes, const char *name);
// Removes old records of ended runs, except those with a due check: keeps 7 days, 1000 records, 100
// with output, 200 MB. Returns the bytes of all that stay.
uint64_t records_sweep(int boxes);

struct record {
	int directory, lock;
};
int record_open(int boxes, const char *name, struct record *ret_record);
void record_close(struct record *record);
bool record_read(int lock, struct record_entry *ret_entry);
void record_put(int lock, size_t at, const void *bytes, size_t length);
void record_mark(int lock, enum record_end end, int status);

// True if the run is of this boot and pid namespace.
bool record_is_here(const struct record_entry *entry);
// Returns 0 if the pid is not visible here, -1 if the run has ended.
pid_t record_pid_here(int lock);
bool record_lives(int lock);
void record_await(int lock);
// Locks an ended run for its check. Returns the descriptor, or -1 if the run lives or is locked.
int record_claim(int boxes, const char *name, bool *ret_lives);
// Returns NULL if the run lives or its end is unknown.
const char *record_status(int lock, int *ret_status);

// Returns the start in milliseconds since 1970, or 0 if `name` has none.
int64_t record_begun(const char *name);
// True if the run moved the item `id` (DATE-TIME-PID-NUMBER) into quarantine.
bool record_moved(const char *name, const char *id);

// Makes the file `name` in the directory `links`. The name begins with the record's.
int record_link(int record, const char *links, const char *name);
bool records_live(const char *state, const char *links, const char *but);
// True if a live run protects `path` or a directory above it.
bool records_reach(struct arena *arena, const char *state, const char *path);
