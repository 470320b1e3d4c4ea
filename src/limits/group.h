// The box's own cgroup: made before the box, filled with limits, read and removed after it.
//
// The room limits owns cgroups, systemd scopes, and the checks where there is no cgroup. Uses:
// base nouns. Begin with means.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan.h"

struct run;
struct tree;

// What a run took, and which limits it met.

struct usage {
	uint64_t wall;   // milliseconds
	uint64_t cpu;    // microseconds of processors
	uint64_t memory; // bytes at the most; of the largest process where there is no cgroup
	uint64_t pids;   // at the most; 0: not known
	uint64_t read, written;  // bytes from and to disks
	uint64_t kills;          // by the limit on memory
	uint64_t refused;        // forks, by the limit on processes
	uint64_t throttled;      // microseconds that processes waited for their share of processors
	uint64_t sent, received; // bytes of the network in mode host, as the guard counted them
	bool tmp_full, disk_grew;
};

// Reads what the group says, while it is there. What it does not say is pid 1's own count.
void usage_read(const struct plan *plan, struct run *run);

// Why a run was ended from outside.
enum stop { STOP_NONE, STOP_TIME, STOP_MEMORY, STOP_PIDS, STOP_DISK, STOP_FULL, STOP_PARENT };

// A limit that was met.
struct hit {
	const char *key; // also the flag
	uint64_t limit;
	const char *what;      // "the box was killed", ...
	const char *otherwise; // the program's own switch; NULL: not known
	bool of_machine;       // no limit of the box's: there is none to raise
};
enum { HITS_MAX = 8 };

// Fills `hits` and returns how many. `status` is the command's wait status.
int usage_hits(const struct plan *plan, const struct usage *usage, enum stop stop, int status,
	       struct hit hits[HITS_MAX]);

// What the supervisor checks itself: disks, and without a cgroup memory and pids.

enum { DISKS_MAX = 16 };

struct watch_limits {
	// When to look, in milliseconds of the steady clock: at the processes, -1 never, and at
	// disks
	int64_t next, disk_next;
	enum watch_walk { WALK_NONE, WALK_BEGUN, WALK_DONE } walk; // a look that takes some turns
	struct disk {
		int fd;
		uint64_t space, files; // free at the start
	} disks[DISKS_MAX];
	int disk_count;
	uint64_t pids;   // the most that were seen
	uint64_t shared; // bytes in tmpfs, memfds and segments of the whole machine, at the start
};

// When the box has just been let go.
void watch_limits_begin(const struct plan *plan, struct run *run, int64_t now);

// Looks when it is time. Returns the milliseconds until the next look, -1 for never, and says why
// the run has to end.
int watch_limits_look(const struct plan *plan, struct run *run, int64_t now, enum stop *ret_stop);

// At the end: whether a disk has lost about as much space as the limit allows.
bool watch_limits_grew(const struct plan *plan, const struct run *run);

void watch_limits_end(struct run *run);

struct group {
	int parents[HIERARCHIES], own[HIERARCHIES]; // directories
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

// By which of the kernel's means the limits are kept: decided in the plan, by those of the machine.

// Fails when a strict limit cannot be kept here, and says what would be needed.
int means_plan(struct plan *plan);

// In a few words, for `sbx plan` and doctor.
const char *means_text(const struct plan *plan);

// Why there is no better means here, and how to get one.
extern const char means_missing[];

// Whose limits the caller stands in: those of the cgroups (v2) from its own up to the top.

enum { CALLER_MAX = 64 };

// What a group sets for all that is in it.
struct caller_limit {
	char what[CALLER_MAX]; // "memory.max=104857600", "" for none that must not be left
	uint64_t pids;         // may be taken along to another group; UNLIMITED: none
};
void caller_look(const char *directory, struct caller_limit *ret_limit);

// Messages of D-Bus, as far as a scope needs them (the D-Bus specification, "Message Protocol").
// Pure.

enum { BUS_MESSAGE_MAX = 2048 };

struct bus_message {
	uint8_t bytes[BUS_MESSAGE_MAX];
	size_t used;
	bool full; // something did not fit: must not be sent
};

// A call: destination may be NULL where there is no bus between.
void bus_call(struct bus_message *message, uint32_t serial, const char *destination,
	      const char *path, const char *interface, const char *member, const char *signature);
void bus_string(struct bus_message *message, const char *text);

// An array of (name, value) or other things: what bus_open returns is given to bus_close.
size_t bus_open(struct bus_message *message);
void bus_close(struct bus_message *message, size_t array);
void bus_property_string(struct bus_message *message, const char *name, const char *value);
void bus_property_number(struct bus_message *message, const char *name, uint64_t value);
void bus_property_pid(struct bus_message *message, const char *name, uint32_t pid);

// Sets the length of the body. Call it last.
void bus_finish(struct bus_message *message);

struct bus_reply {
	size_t used; // bytes of the message
	enum bus_kind { BUS_RETURN = 2, BUS_ERROR = 3, BUS_OTHER = 0 } kind;
	uint32_t serial; // of the call that is answered
	char error[128]; // its name, printable
};

// Takes one message apart: 1 when there is one, 0 when more bytes are needed, -1 when it is none.
int bus_reply(const uint8_t *bytes, size_t length, struct bus_reply *ret_reply);

// A scope of the user's service manager: asked for when pid 1 of the box exists, waited for before
// its command may start.

int scope_ask(const struct plan *plan, struct run *run);
int scope_wait(const struct plan *plan, struct run *run);

// Where the manager of the user's services listens, or "" when there is none. `size` of 108.
enum bus { BUS_NONE, BUS_MANAGER, BUS_DAEMON };
enum bus manager_find(char *path, unsigned long size);

// What the kernel says of groups and processes, taken apart. Pure; each has a fuzz target.

// The path in /proc/PID/cgroup of the hierarchy with this controller ("": cgroup v2). False when
// there is none, when it is longer than `size` or leads out of what this process may see.
bool text_group(const char *text, size_t length, const char *controller, char *path, size_t size);

// A line "name 123", as in cpu.stat and memory.events; 0 when there is none.
uint64_t text_value(const char *text, size_t length, const char *name);

// The bytes of "name:   123 kB", as in /proc/meminfo; 0 when there is none.
uint64_t text_kilobytes(const char *text, size_t length, const char *name);

// The sum of "name=123" of all lines, as in io.stat.
uint64_t text_sum(const char *text, size_t length, const char *name);

// A whole word of a list, as in cgroup.controllers.
bool text_has(const char *text, size_t length, const char *word);

// The fields of /proc/PID/stat that sbx uses (proc_pid_stat(5)).
struct text_process {
	char state;
	uint64_t ticks; // of processors, of its reaped children too
	uint64_t threads;
	uint64_t pages; // in memory
};
bool text_process(const char *text, size_t length, struct text_process *ret_process);

// Limits as a cgroup keeps them: one file for each.

// One limit, and the file that keeps it.
struct setting {
	uint64_t bit;
	size_t offset; // in struct limits
	const char *controller;
	const char *file; // NULL: the end of the table
	enum setting_form { SETTING_PLAIN, SETTING_QUOTA, SETTING_DEVICE } form;
	const char *name;
	const char *otherwise; // how it is kept without a group; NULL: not at all
	const char *property;  // of a scope; NULL: it has none
	unsigned factor;       // to the property's unit
};
extern const struct setting limit_files[];
// The text for the limit at that offset: the caller's number of processes is never passed.
uint64_t settings_limit(const struct plan *plan, size_t offset);
void settings_text(const struct plan *plan, const struct setting *row, uint64_t limit, char *text,
		   size_t size);

// All processes below one, by /proc.

struct tree {
	uint64_t processes, threads;
	uint64_t running; // neither stopped nor dead nor in the kernel
	uint64_t cpu;     // microseconds, with those that have ended
	uint64_t memory;  // bytes; shared pages count for each process
};

// Walks from `pid` itself; bounded. What ends meanwhile is left out. In steps of half a
// millisecond: true when it was the last.
void tree_begin(pid_t pid);
bool tree_step(struct tree *ret_tree);
void tree_count(pid_t pid, struct tree *ret_tree); // at once

// Of the last walk: shared pages count in parts, so that the sum is what they have. In steps, as it
// is slow; true when it was the last. `shared`: in a tmpfs, a memfd or a segment.
bool tree_weigh(uint64_t *ret_memory, uint64_t *ret_shared);
// Microseconds of the processor that the last walk took, and tree_weigh() since.
uint64_t tree_spent(void);

// The end from outside: the wall clock and the other limits that the supervisor keeps.

struct clock {
	int64_t begin, end; // milliseconds of the steady clock; an end of -1: none
	enum stop stop;     // why the run is being ended
	bool asked;         // pid 1 of tier landlock, to end all
};

// The time counts from the first step of the run.
void clock_begin(const struct plan *plan, const struct run *run, struct clock *clock);

// Looks whether a limit is met, and ends the box then: with SIGTERM, and SIGKILL after a grace, or
// at once where there is no time to lose. Returns the milliseconds to sleep, -1: for ever.
int clock_tick(const struct plan *plan, struct run *run, struct clock *clock);

// SIGTERM now, and SIGKILL after a grace.
void clock_end(const struct run *run, struct clock *clock, enum stop why);

// A signal to pid 1 of the box, which forwards it.
void clock_signal(const struct run *run, int number);
