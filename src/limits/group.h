// The box's own cgroup: made before the box, filled with limits, read and removed after it.
//
// The room limits owns cgroups, systemd scopes, and the checks where there is no cgroup. Uses:
// base nouns. Begin with means.c.
#pragma once

#include "limits/usage.h"
#include "limits/watch.h"
#include "plan.h"

struct run;

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
