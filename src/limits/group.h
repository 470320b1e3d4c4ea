// The box's own cgroup: made before the box, filled with limits, read and removed after it.
//
// The room limits owns cgroups, systemd scopes, and the checks where there is no cgroup. Uses:
// base nouns text. Begin with means.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan.h"

struct run;
struct tree;

struct usage {
	uint64_t wall;           // milliseconds
	uint64_t cpu;            // microseconds of processors
	uint64_t memory;         // of the largest process where there is no cgroup
	uint64_t pids;           // 0: not known
	uint64_t read, written;  // bytes from and to disks
	uint64_t kills;          // by the memory limit
	uint64_t refused;        // forks, by the limit on processes
	uint64_t throttled;      // microseconds that processes waited for their share of processors
	uint64_t sent, received; // mode host, by the guard
	bool tmp_full, disk_grew;
};

// Pid 1 counts what the group does not.
void usage_read(const struct plan *plan, struct run *run);

enum stop { STOP_NONE, STOP_TIME, STOP_MEMORY, STOP_PIDS, STOP_DISK, STOP_FULL, STOP_PARENT };

struct hit {
	const char *key; // also the flag
	uint64_t limit;
	const char *what;      // "the box was killed", ...
	const char *otherwise; // the program's own switch; NULL: not known
	bool of_machine;       // of the machine: it cannot be raised
};
enum { HITS_MAX = 8 };

// `status` is the command's wait status.
int usage_hits(const struct plan *plan, const struct usage *usage, enum stop stop, int status,
	       struct hit hits[HITS_MAX]);

enum { DISKS_MAX = 16 };

struct watch_limits {
	// milliseconds of the steady clock, -1: never
	int64_t next, disk_next;
	enum watch_walk { WALK_NONE, WALK_BEGUN, WALK_DONE } walk; // a look may take several turns
	struct disk {
		int fd;
		uint64_t space, files; // free at the start
	} disks[DISKS_MAX];
	int disk_count;
	uint64_t pids;   // at the most; 0: not known
	uint64_t shared; // tmpfs, memfds and segments of the machine, at the start
};

// Call when the command has just begun.
void watch_limits_begin(const struct plan *plan, struct run *run, int64_t now);

// Milliseconds until the next look, -1: never. `ret_stop`: why the run must end.
int watch_limits_look(const struct plan *plan, struct run *run, int64_t now, enum stop *ret_stop);

// Call at the end. True if a disk has lost about as much space as the limit allows.
bool watch_limits_grew(const struct plan *plan, const struct run *run);

void watch_limits_end(struct run *run);

struct group {
	int parents[HIERARCHIES], own[HIERARCHIES];
	char name[48];
	int manager; // the connection to the user's manager
	struct watch_limits watch;
	struct usage usage;
};

// All descriptors are -1.
void group_init(struct group *group);

// The steps. group_host decides nothing: the plan has.
int group_host(const struct plan *plan, struct run *run);
int group_undo(const struct plan *plan, struct run *run);
int group_fill_host(const struct plan *plan, struct run *run);
int group_fill_undo(const struct plan *plan, struct run *run);
int group_ready_host(const struct plan *plan, struct run *run);

// Fails when a strict limit cannot be kept, and says what would be needed.
int means_plan(struct plan *plan);

// In a few words, for `sbx plan` and doctor.
const char *means_text(const struct plan *plan);

extern const char means_missing[];

// The caller's cgroups (v2), up to the top.

enum { CALLER_MAX = 64 };

struct caller_limit {
	char what[CALLER_MAX]; // "memory.max=104857600"; "": none
	uint64_t pids;         // can move to another group; UNLIMITED: none
};
void caller_look(const char *directory, struct caller_limit *ret_limit);

// The D-Bus specification, "Message Protocol". Pure.

enum { BUS_MESSAGE_MAX = 2048 };

struct bus_message {
	uint8_t bytes[BUS_MESSAGE_MAX];
	size_t used;
	bool full; // something did not fit: must not be sent
};

// destination NULL: no bus between.
void bus_call(struct bus_message *message, uint32_t serial, const char *destination,
	      const char *path, const char *interface, const char *member, const char *signature);
// By D-Bus's letters: y, u, t, s, g; "(" begins a struct.
void bus_put(struct bus_message *message, const char *form, ...);

// Pass its result to bus_close().
size_t bus_open(struct bus_message *message);
void bus_close(struct bus_message *message, size_t array);

// Call it last.
void bus_finish(struct bus_message *message);

struct bus_reply {
	size_t used;
	enum bus_kind { BUS_RETURN = 2, BUS_ERROR = 3, BUS_OTHER = 0 } kind;
	uint32_t serial; // of the call that is answered
	char error[128]; // its name, printable
};

// 1: one, 0: more bytes are needed, -1: not a message.
int bus_reply(const uint8_t *bytes, size_t length, struct bus_reply *ret_reply);

// The request is sent when pid 1 exists, and awaited before its command starts.

int scope_ask(const struct plan *plan, struct run *run);
int scope_wait(const struct plan *plan, struct run *run);

// A connection to the user's manager, by its own socket or by the user's bus; -1: there is none.
enum bus { BUS_MANAGER, BUS_DAEMON, BUSES };
int manager_open(enum bus *ret_bus);

// Pure; each has a fuzz target.

// Of /proc/PID/cgroup; "": cgroup v2. False: none, longer than `size`, or out of sight.
bool text_group(const char *text, size_t length, const char *controller, char *path, size_t size);

// "name 123"; 0: none.
uint64_t text_value(const char *text, size_t length, const char *name);

// "name:   123 kB"; 0: none.
uint64_t text_kilobytes(const char *text, size_t length, const char *name);

// "name=123" of all lines.
uint64_t text_sum(const char *text, size_t length, const char *name);

// A whole word of a list, as in cgroup.controllers.
bool text_has(const char *text, size_t length, const char *word);

struct setting {
	uint64_t bit;
	size_t offset; // in struct limits
	const char *controller;
	const char *file; // NULL: the end of the table
	enum setting_form { SETTING_PLAIN, SETTING_QUOTA, SETTING_DEVICE } form;
	const char *name;
	const char *otherwise; // without a group; NULL: not at all
	const char *property;  // NULL: a scope has none
	unsigned factor;       // to the property's unit
};
extern const struct setting limit_files[];
// At most the caller's number of processes.
uint64_t settings_limit(const struct plan *plan, size_t offset);
void settings_text(const struct plan *plan, const struct setting *row, uint64_t limit, char *text,
		   size_t size);

struct tree {
	uint64_t processes, threads;
	uint64_t running; // not stopped, dead or in the kernel
	uint64_t cpu;     // with ended children
	uint64_t memory;  // shared pages count for each process
};

// Walks from `pid` in steps of half a millisecond. True: done.
void tree_begin(pid_t pid);
bool tree_step(struct tree *ret_tree);
void tree_count(pid_t pid, struct tree *ret_tree); // at once

// Counts a share of each shared page. In steps; true: done. `shared`: tmpfs, memfds, segments.
bool tree_weigh(uint64_t *ret_memory, uint64_t *ret_shared);
// CPU time in microseconds of the last walk and the tree_weigh() calls after it.
int64_t tree_spent(void);

struct clock {
	int64_t begin, end; // milliseconds of the steady clock; -1: none
	enum stop stop;     // why the run is being ended
	bool asked;         // pid 1 of tier landlock was asked to kill all
};

// The time counts from the first step of the run.
void clock_begin(const struct plan *plan, const struct run *run, struct clock *clock);

// SIGTERM, then SIGKILL after a grace, or at once. Milliseconds to sleep, -1: for ever.
int clock_tick(const struct plan *plan, struct run *run, struct clock *clock);

// SIGTERM now, and SIGKILL after a grace.
void clock_end(const struct run *run, struct clock *clock, enum stop why);

// A signal to pid 1 of the box, which forwards it.
void clock_signal(const struct run *run, int number);
