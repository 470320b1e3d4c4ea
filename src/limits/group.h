// The box's own cgroup: made before the box, filled with limits, read and removed after it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "limits/usage.h"
#include "limits/watch.h"
#include "plan.h"

struct run;

// One limit, and the file that keeps it.
struct setting {
	uint64_t bit;
	size_t offset;            // in struct limits
	const char *controller;   // of v2
	enum hierarchy hierarchy; // of v1
	const char *file;         // NULL: the end of the table
	enum setting_form { SETTING_PLAIN, SETTING_QUOTA, SETTING_DEVICE, SETTING_PERIOD } form;
};
const struct setting *group_settings(enum means means);
// What is written for the limit at that offset: the caller's number of processes is never passed.
uint64_t group_limit(const struct plan *plan, size_t offset);

struct group {
	int parents[HIERARCHIES], own[HIERARCHIES]; // directories; v2 has only the first
	char name[48];
	int manager; // the connection to the user's manager
	struct watch_limits watch;
	struct usage usage;
};

// The steps. group_host decides nothing: the plan has.
int group_host(const struct plan *plan, struct run *run);
int group_undo(const struct plan *plan, struct run *run);
int group_fill_host(const struct plan *plan, struct run *run);
int group_fill_undo(const struct plan *plan, struct run *run);
int group_ready_host(const struct plan *plan, struct run *run);

// Writes the limits into a directory of each hierarchy: the box's, or the pool's.
int group_write(const struct plan *plan, const int directories[HIERARCHIES]);
