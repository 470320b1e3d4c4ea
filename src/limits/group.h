// The room limits owns cgroups, systemd scopes, and the checks where there is no cgroup. Uses:
// base, nouns, text. Begin with means.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan.h"

struct run;
struct process_tree;

struct usage {
	uint64_t wall;           // milliseconds that the run took
	uint64_t cpu;            // microseconds
	uint64_t memory;         // peak in bytes; if no cgroup, the largest process's
	uint64_t pids;           // peak; 0: not known
	uint64_t read, written;  // bytes, disks only
	uint64_t kills;          // processes killed by the memory limit
	uint64_t refused;        // forks refused by the limit on processes
	uint64_t throttled;      // microseconds that processes waited for processors
	uint64_t sent, received; // bytes in network mode host, counted by the BPF guard
	bool tmp_full, disk_grew;
};

// Takes pid 1's numbers, or the cgroup's where larger.
void usage_read(const struct plan *plan, struct run *run);

enum stop { STOP_NONE, STOP_TIME, STOP_MEMORY, STOP_PIDS, STOP_DISK, STOP_FULL, STOP_PARENT };

struct hit {
	const char *key; // also the name of the option
	uint64_t limit;
	const char *what;      // "the box was killed", ...
	const char *otherwise; // the program's own switch to use less, or NULL
	bool of_machine;       // a limit of the machine, which sbx cannot raise
};
enum { HITS_MAX = 8 };

// `status` is the command's wait status.
int usage_hits(const struct plan *plan, const struct usage *usage, enum stop stop, int status,
	       struct hit hits[HITS_MAX]);

enum { DISKS_MAX = 16 };

struct watch_limits {
	// times of the next looks: milliseconds of the steady clock; -1: never
	int64_t next, disk_next;
	enum watch_walk { WALK_NONE, WALK_BEGUN, WALK_DONE } walk; // over processes, in steps
	struct disk {
		int fd;
		uint64_t space, files; // free at the start
	} disks[DISKS_MAX];
	int disk_count;
	uint64_t pids;   // most processes seen; 0: not known
	uint64_t shared; // the machine's shared memory at the start: tmpfs, memfds, SysV
};

void watch_limits_begin(const struct plan *plan, struct run *run, int64_t now);

// Returns milliseconds until the next look, -1: never. `ret_stop`: why the run must end.
int watch_limits_look(const struct plan *plan, struct run *run, int64_t now, enum stop *ret_stop);

// True if a disk has lost about as much space as the limit allows.
bool watch_limits_grew(const struct plan *plan, const struct run *run);

void watch_limits_end(struct run *run);

struct group {
	int parents[HIERARCHIES], own[HIERARCHIES];
	char name[48];
	int manager; // connection to systemd's user manager
	struct watch_limits watch;
	struct usage usage;
};

void group_init(struct group *group);

int group_host(const struct plan *plan, struct run *run);
int group_undo(const struct plan *plan, struct run *run);
int group_fill_host(const struct plan *plan, struct run *run);
int group_fill_undo(const struct plan *plan, struct run *run);
int group_ready_host(const struct plan *plan, struct run *run);

// Fails when a strict limit cannot be kept, and says what would be needed.
int means_plan(struct plan *plan);

const char *means_text(const struct plan *plan);

extern const char means_missing[];

enum { CALLER_MAX = 64 };

struct caller_limit {
	char what[CALLER_MAX]; // "memory.max=104857600", a limit of a cgroup; "": none
	uint64_t pids;         // limit on processes, to copy to the box; or UNLIMITED
};
// Reads the limits of one cgroup v2.
void caller_look(const char *directory, struct caller_limit *ret_limit);

// Messages of D-Bus (D-Bus specification, "Message Protocol").

enum { BUS_MESSAGE_MAX = 2048 };

struct bus_message {
	uint8_t bytes[BUS_MESSAGE_MAX];
	size_t used;
	bool full; // something did not fit: do not send
};

// `destination` is NULL on a connection without a bus.
void bus_call(struct bus_message *message, uint32_t serial, const char *destination,
	      const char *path, const char *interface, const char *member, const char *signature);
// `form` has D-Bus types: y, u, t, s, g. "(" begins a struct.
void bus_put(struct bus_message *message, const char *form, ...);

// Begins an array. Pass the result to bus_close().
size_t bus_open(struct bus_message *message);
void bus_close(struct bus_message *message, size_t array);

void bus_finish(struct bus_message *message);

struct bus_reply {
	size_t used;
	enum bus_kind { BUS_RETURN = 2, BUS_ERROR = 3, BUS_OTHER = 0 } kind;
	uint32_t serial; // of the call that this answers
	char error[128]; // name of the error, printable
};

// Returns 1 for a whole message, 0 if more bytes are needed, -1 if it is no message.
int bus_reply(const uint8_t *bytes, size_t length, struct bus_reply *ret_reply);

int scope_ask(const struct plan *plan, struct run *run);
int scope_wait(const struct plan *plan, struct run *run);

// Connects to systemd's user manager by its socket, else by the user's bus. -1: there is none.
enum bus { BUS_MANAGER, BUS_DAEMON, BUSES };
int manager_open(enum bus *ret_bus);

// Finds the path in /proc/PID/cgroup. `controller` is "" for cgroup v2. Returns false for no path,
// a longer one than `size`, or one out of the cgroup namespace ("/..").
bool text_group(const char *text, size_t length, const char *controller, char *path, size_t size);

// Returns the number in "name 123", or 0.
uint64_t text_value(const char *text, size_t length, const char *name);

// Returns the bytes of "name: 123 kB", or 0.
uint64_t text_kilobytes(const char *text, size_t length, const char *name);

// Adds up "name=123" of all lines.
uint64_t text_sum(const char *text, size_t length, const char *name);

// True for a whole word of a list, as in cgroup.controllers.
bool text_has(const char *text, size_t length, const char *word);

struct setting {
	uint64_t bit;
	size_t offset; // in struct limits
	const char *controller;
	const char *file; // NULL: the end of the table
	enum setting_form { SETTING_PLAIN, SETTING_QUOTA, SETTING_DEVICE } form;
	const char *name;
	const char *otherwise; // how sbx keeps the limit without a cgroup, or NULL
	const char *property;  // property of a systemd scope, or NULL
	unsigned factor;       // from the limit's unit to the property's
};
extern const struct setting limit_files[];
// Returns the limit at `offset` of struct limits. The limit on processes is at most the caller's.
uint64_t settings_limit(const struct plan *plan, size_t offset);
void settings_text(const struct plan *plan, const struct setting *row, uint64_t limit, char *text,
		   size_t size);

struct process_tree {
	uint64_t processes, threads;
	uint64_t running; // not stopped, dead or waiting in the kernel
	uint64_t cpu;     // microseconds of CPU time, also of ended children
	uint64_t memory;  // bytes; shared pages count for each process
};

// tree_begin() begins a walk from `pid`, in steps of half a millisecond. tree_step() returns true
// at the end.
void tree_begin(pid_t pid);
bool tree_step(struct process_tree *ret_tree);
void tree_count(pid_t pid, struct process_tree *ret_tree); // the whole walk at once

// Adds up proportional set sizes (PSS) in steps. Returns true when done. `ret_shared`: bytes of
// tmpfs, memfds and SysV shared memory.
bool tree_weigh(uint64_t *ret_memory, uint64_t *ret_shared);
// Returns nanoseconds of CPU time of the last walk and the tree_weigh() calls after it.
int64_t tree_spent(void);

struct clock {
	int64_t begin, end; // milliseconds of the steady clock; -1: none
	enum stop stop;     // why the run is being ended
	bool asked;         // pid 1 of tier landlock was asked to kill all processes
};

// The time limit counts from the run's first step.
void clock_begin(const struct plan *plan, const struct run *run, struct clock *clock);

// Sends SIGTERM when the time is over, SIGKILL after a grace period; at another limit SIGKILL at
// once. Returns milliseconds to sleep, -1: for ever.
int clock_tick(const struct plan *plan, struct run *run, struct clock *clock);

// Sends SIGTERM now, and SIGKILL after a grace period.
void clock_end(const struct run *run, struct clock *clock, enum stop why);

// Sends a signal to the box's pid 1, which forwards it.
void clock_signal(const struct run *run, int number);
