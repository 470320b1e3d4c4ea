// Landlock over the same plan: a second line should a mount or a descriptor be wrong.
#pragma once

#include "plan.h"

struct probe;
struct run;

int landlock_plan(const struct probe *probe, struct plan *plan);
int landlock_child(const struct plan *plan, struct run *run);
// In the command's own process of tier landlock: a domain below that of pid 1, which it can then
// neither signal nor trace. 0, or -1 with errno.
int landlock_below(void);

// The ABI of this kernel, 0 without Landlock.
int landlock_abi(void);
