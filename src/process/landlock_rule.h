// One rule of Landlock for a descriptor (landlock(7), Linux 5.13).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan.h"

// The rights for files that this ABI knows.
uint64_t landlock_handled(int abi);

// A rule with these rights, cut to what the plan's ABI knows.
int landlock_add_rights(const struct plan *plan, int ruleset, int fd, uint64_t rights);

// A rule with the rights of this kind of access. `directory` says whether the descriptor is one.
int landlock_add(const struct plan *plan, int ruleset, int fd, enum access access, bool directory);
