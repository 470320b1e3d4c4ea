// The record of a run: a directory boxes/PID-TIME in the state directory (src/README.md), which no
// box sees. Functions return -1 with errno.
//
// The room boxes owns the records of runs: who lives, how a run ended, and the names by which a
// session or a tree finds its runs. Uses: base. Begin with record.h.
//
// Locks of `entry` (fcntl(2)): each process of the run holds byte 0, the process PID byte 1, whose
// pid the kernel translates for the reader, the check of a killed run byte 2. A new record is
// .PID-TIME. With its name but without a lock, its run has ended.
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
	int32_t supervisor, init; // pids of `place`
	uint64_t init_start;      // clock ticks since the boot
	int64_t begun;            // milliseconds since the boot
	uint32_t landlock;        // 1: the tier; nothing ends with `init`
	enum record_network { RECORD_NONE, RECORD_HOST, RECORD_PROXY } network;
	// Of a session's run: the supervisor's descriptors, and bits of the mounted roots.
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
		RECORD_OVER, // the box has ended, its sbx has not
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

// records_directory() makes it; -1 with the error said.
int records_directory(const char *state);
int records_open(const char *state);

// A locked record without its name. Returns its directory.
int record_make(int boxes, char name[RECORD_NAME], int *ret_lock);
// Writes the entry and its lock, then renames.
int record_enter(int boxes, int lock, const struct record_entry *entry, char name[RECORD_NAME]);
int record_name(int boxes, char name[RECORD_NAME], pid_t run);
void record_remove(int boxes, int record, const char *name);
void record_release(int boxes, const char *name);
// Keeps due checks, and the newest 100 of 7 days, up to 200 MB. Returns the bytes of all.
uint64_t records_sweep(int boxes);

struct record {
	int directory, lock;
};
int record_open(int boxes, const char *name, struct record *ret_record);
void record_close(struct record *record);
bool record_read(int lock, struct record_entry *ret_entry);
void record_put(int lock, size_t at, const void *bytes, size_t length);
void record_mark(int lock, enum record_end end, int status);

// Only in this boot and pid namespace a run counts as killed.
bool record_is_here(const struct record_entry *entry);
// 0: not visible in this pid namespace; -1: ended.
pid_t record_pid_here(int lock);
bool record_lives(int lock);
void record_await(int lock);
// Locks an ended run's record while `lock` is open. -1: it lives, or another process holds it.
int record_claim(int boxes, const char *name, bool *ret_lives);
// NULL: it lives, or is unknown.
const char *record_status(int lock, int *ret_status);

// Milliseconds of the wall clock; 0: not in the name.
int64_t record_begun(const char *name);
// `id`: DATE-TIME-PID-NUMBER, in quarantine.
bool record_moved(const char *name, const char *id);

// Makes the file `name` in a directory of links: it leads to the record, its content counts for
// nothing. -1 with errno.
int record_link(int record, const char *links, const char *name);
bool records_live(const char *state, const char *links, const char *but);
// True if a live box has `path`, or a directory around it, as a tree.
bool records_reach(struct arena *arena, const char *state, const char *path);
