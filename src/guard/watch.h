// The eyes on the project while a longer run goes on. What they see first is only undone sooner:
// the final look (check.h) finds it as well.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct mount;
struct out;
struct plan;
struct run;

struct watch {
	int names;      // inotify: protected names that appear
	int mounts;     // the box's mountinfo: POLLPRI when a mount comes or goes
	unsigned taken; // names moved away so far
	int64_t rest;   // milliseconds of the steady clock: none is moved away before
	int64_t again;  // when to look without an event, 0: never
};

// From a timer, never at the start: closing an inotify takes the kernel up to 15 ms now and then.
void watch_begin(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct out *told);
// The kernel takes its time to close an inotify: where somebody reaps orphans, a process of its own
// does it.
void watch_end(struct watch *watch, bool reaped, struct out *told);
void watch_names(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct out *told);

// A mount that keeps something of the host from the box.
bool watch_is_wall(const struct mount *mount);

// A program of the host that replaces a protected file takes the mount over it away. Mounts it
// again, by a helper inside the box's own mount namespace; told.
void watch_mounts(const struct plan *plan, const struct run *run, struct out *told);
