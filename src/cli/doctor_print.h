// What doctor found, for people and for programs.
#pragma once

#include <stdbool.h>

#include "probe.h"

struct arena;
struct plan;

// To `fd`, for people with one line of result at the end. Returns sbx's exit status.
int doctor_print(const struct finding *findings, unsigned count, bool json, int fd);

// The programs of PATH that no box has, and how to run one; NULL where there are none. `plan`: one
// without a project.
const char *doctor_path(struct arena *arena, const struct plan *plan, const char *path,
			const char **ret_fix);
