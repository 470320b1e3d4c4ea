// The eyes on the project while a longer run goes on. What they see first is only undone sooner:
// the final look (check.h) finds it as well.
#pragma once

struct out;
struct plan;
struct run;

struct watch {
	int names; // inotify: protected names that appear
	int mounts; // the box's mountinfo: POLLPRI when a mount comes or goes
	unsigned taken; // names moved away so far
};

// From a timer, never at the start: closing an inotify takes the kernel up to 15 ms now and then.
void watch_begin(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct out *told);
void watch_names(struct watch *watch, const struct plan *plan, struct out *told);

// A program of the host that replaces a protected file takes the mount over it away. Mounts it
// again, by a helper inside the box's own mount namespace; told.
void watch_mounts(const struct plan *plan, const struct run *run, struct out *told);
