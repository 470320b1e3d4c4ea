// What doctor found, for people and for programs.
#pragma once

#include "probe.h"

struct arena;

// To `fd`, with one line of result at the end.
int doctor_print(const struct finding *findings, unsigned count, int fd);
int doctor_print_json(const struct finding *findings, unsigned count, int fd);

// Programs of PATH that no box has: true when there are some. `box`: a plan without a project.
struct plan;
bool doctor_path(struct arena *arena, const struct plan *plan, const char *path,
		 struct finding *ret);
