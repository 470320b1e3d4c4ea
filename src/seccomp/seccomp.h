// The system call filter: planned from the profile's groups, installed last.
#pragma once

struct plan;
struct run;

int seccomp_plan(struct plan *plan);
int seccomp_child(const struct plan *plan, struct run *run);
