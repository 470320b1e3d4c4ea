// The record of a run: a directory below the state directory, by which other processes of the
// caller's find the run, its end and what it left. No box sees it, as none sees the state.
//
// The room boxes owns the records of runs: who lives, how a run ended, and the names by which a
// session or a tree finds its runs. Uses: base. Begin with record.h.
//
//   boxes/PID-TIME/entry     what the run says of itself. Who lives is what its locks say
//   (fcntl(2)):
//                            byte 0 is each process of the run (an open file description), byte 1
//                            the process PID, whose number the kernel gives in the reader's
//                            numbers, byte 2 who checks what a killed run left
//   boxes/PID-TIME/stood.N   what stood in the N-th tree at the start (postcheck/stood.c)
//   boxes/PID-TIME/socket    (net/host/control_socket.h)
//   boxes/PID-TIME/output    (report/output_ring.h), of a run in the background, and its `result`
//
// It is made as .PID-TIME, locked, written and renamed: one that has its name and no lock is that
// of a run that has ended. A file of the same name below a session or a tree leads to it: its
// content counts for nothing.
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
#define RECORD_MAGIC  UINT64_C(0x3430786f62786273) // and its version
enum { RECORD_NAME = 64, RECORD_SESSION = 128, RECORD_COMMAND = 256, RECORD_PORTS = 8 };

// Written in one piece, into a file that is the caller's alone; texts that do not fit are cut.
struct record_entry {
	uint64_t magic;
	struct process_place place; // of the supervisor
	int32_t supervisor, init;   // in its numbers
	uint64_t init_start;        // clock ticks since the boot: of a session's run
	int64_t begun;              // milliseconds since the boot
	uint32_t landlock;          // 1: the tier, in which nothing ends with `init` by itself
	enum record_network { RECORD_NONE, RECORD_HOST, RECORD_PROXY } network;
	// Of a session's run: descriptors of the supervisor that are the box's namespaces, and
	// which of the session's roots it has mounted (bits).
	int32_t user, view;
	uint64_t user_inode, view_inode, roots;
	char session[RECORD_SESSION], project[PATH_MAX], command[RECORD_COMMAND];
	// Written again while the run lasts: by the run, and `killed` by who kills it.
	struct record_ports {
		uint32_t count;
		struct record_port {
			uint16_t inside, outside;
		} all[RECORD_PORTS];
	} ports;
	uint32_t denials; // different ones
	uint32_t killed;  // 1: sbx kill, or sbx stop after its time, ends the box
	enum record_end {
		RECORD_LIVES,
		RECORD_OVER, // the box has ended, and not yet its sbx
		// `status` is what sbx run returned.
		RECORD_EXIT,
		RECORD_SIGNAL,
		RECORD_LIMIT,
		RECORD_FAILED,
		RECORD_ENDS
	} end;
	int32_t status;
};
extern const char *const record_ends[RECORD_ENDS];

// Pure. False for anything else than a whole entry of this version.
bool record_parse(const void *bytes, size_t length, struct record_entry *ret_entry);
// The words of a command with blanks between, cut; `text` is zeroed.
void record_command(char *const *command, char text[RECORD_COMMAND]);

// The directory of all: made, -1 with the error said; or as it is, -1 with errno.
int records_directory(const char *state);
int records_open(const char *state);

// A fresh one without its name yet, which has its lock. Returns its directory; -1 with errno.
int record_make(int boxes, char name[RECORD_NAME], int *ret_lock);
// By the run itself: its entry, its lock and its name. -1 with errno.
int record_enter(int boxes, int lock, const struct record_entry *entry, char name[RECORD_NAME]);
// The name alone. -1 with errno.
int record_name(int boxes, char name[RECORD_NAME], pid_t run);
void record_remove(int boxes, int record, const char *name);
// Where nothing of it is read later: no output and no check that is due.
void record_release(int boxes, const char *name);
// Of those that have ended, and of which no check is due, all go but the newest 100 of the last 7
// days, 200 MB of them. Returns the bytes that all hold.
uint64_t records_sweep(int boxes);

// One that is there, -1 with errno.
struct record {
	int directory, lock;
};
int record_open(int boxes, const char *name, struct record *ret_record);
void record_close(struct record *record);
// False: it is of another version, or not written yet.
bool record_read(int lock, struct record_entry *ret_entry);
// A part of it, and the end.
void record_put(int lock, size_t at, const void *bytes, size_t length);
void record_mark(int lock, enum record_end end, int status);

// Whether it is an entry of this boot and pid namespace: only there a run counts as killed.
bool record_is_here(const struct record_entry *entry);
// The process PID as this one sees it; 0: it has no number here; -1: it has ended.
pid_t record_holder(int lock);
// Whether a process of the run lives; and waits until none does.
bool record_lives(int lock);
void record_await(int lock);
// Of one that nobody lives of: holds it for a check, as long as the descriptor is open. -1: it
// lives, or another process does so.
int record_claim(int boxes, const char *name, bool *ret_lives);
// How it ended: also of one that was killed, and said nothing. NULL: it lives, or is not known.
const char *record_status(int lock, int *ret_status);

// When the run of that name began, in milliseconds of the clock; 0: the name says nothing.
int64_t record_begun(const char *name);
// Whether the run moved the thing of this ID to quarantine: DATE-TIME-PID-NUMBER.
bool record_moved(const char *name, const char *id);

// The file `name` in a directory of links, which is made. -1 with errno.
int record_link(int record, const char *links, const char *name);
// Whether one of those there but `but` leads to a run that lives.
bool records_live(const char *state, const char *links, const char *but);
// Whether a box lives whose tree is `path` or lies around it.
bool records_reach(struct arena *arena, const char *state, const char *path);
