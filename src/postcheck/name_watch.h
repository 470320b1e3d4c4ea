// The eyes on the project while a longer run goes on. What they see first is only undone sooner:
// the final look (check.h) finds it as well.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct mount;
struct findings;
struct plan;
struct run;

enum { WATCHES_MAX = 256 };

struct watch {
	int names; // of signals: a directory with protected names was changed
	struct watched_name {
		ino_t inode;
		dev_t device;
		int fd;
	} directories[WATCHES_MAX]; // that give notice
	unsigned directory_count;
	bool polls; // there is one without notice
	struct wall {
		ino_t inode;
		dev_t device;
		struct timespec changed;
	} *walls;       // by mount of the plan: on what it was seen last
	int mounts;     // the box's mountinfo: POLLPRI when a mount comes or goes
	unsigned taken; // names moved away so far
	int64_t again;  // when to look without an event, 0: never; milliseconds of the steady clock
	unsigned first; // of the guards, to be looked at first
	int64_t *rest;  // of each guard: it is not moved away before
};

// From a timer, never at the start: short runs do not pay for it.
void watch_begin(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found);
void watch_end(struct watch *watch);
void watch_names(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found);

// A mount that keeps something of the host from the box.
bool watch_is_wall(const struct mount *mount);

// A program of the host that replaces a protected file takes the mount over it away. Mounts it
// again, by a helper inside the box's own mount namespace; reported.
void watch_mounts(const struct plan *plan, const struct run *run, struct findings *found);
