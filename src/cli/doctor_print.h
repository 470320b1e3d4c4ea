// Prints what doctor found, for people or as JSON.
#pragma once

#include <stdbool.h>

#include "probe.h"

struct arena;
struct plan;

// Writes to `fd`. For people the last line is the result. Returns sbx's exit status.
int doctor_print(const struct wall *walls, unsigned count, bool json, int fd);

// Names the programs of PATH that no box has, or returns NULL. `ret_fix` says how to run one.
// `plan` has no project.
const char *doctor_path(struct arena *arena, const struct plan *plan, const char *path,
			const char **ret_fix);
