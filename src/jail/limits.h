// Resource limits of the processes in the box.
#pragma once

struct plan;
struct run;

int limits_plan(struct plan *plan);
int limits_child(const struct plan *plan, struct run *run);
