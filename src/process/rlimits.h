// Resource limits of the processes in the box.
#pragma once

struct plan;
struct run;

int rlimits_child(const struct plan *plan, struct run *run);
