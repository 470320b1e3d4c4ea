// Limits as a cgroup keeps them: one file for each.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "plan.h"

// One limit, and the file that keeps it.
struct setting {
	uint64_t bit;
	size_t offset; // in struct limits
	const char *controller;
	const char *file; // NULL: the end of the table
	enum setting_form { SETTING_PLAIN, SETTING_QUOTA, SETTING_DEVICE } form;
};
extern const struct setting limit_files[];
// What is written for the limit at that offset: the caller's number of processes is never passed.
uint64_t settings_limit(const struct plan *plan, size_t offset);
void settings_text(const struct plan *plan, const struct setting *row, uint64_t limit, char *text,
		   size_t size);
