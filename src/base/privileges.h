// Capabilities of this process, by libcap: it allocates memory, so no child of the box's clone may
// call these (process/caps.c has its own).
#pragma once

#include <stdbool.h>

struct arena;

// Keeps `count` capabilities (linux/capability.h) permitted and effective, and no other; the
// inheritable set is emptied, and by the kernel's rule the ambient one with it. -1 with errno.
int privileges_keep(const int *kept, unsigned count);

// Nothing that this process or a child of it executes gets a capability: empties the inheritable
// set, with it the ambient one, and, for who may (CAP_SETPCAP), the bounding set. What is permitted
// and effective stays. -1 with errno.
int privileges_pass_none(void);

// The effective set has it; false when that cannot be found out.
bool privileges_have(int capability);

// As cap_to_text(3) writes them, "none" when there are none; NULL with errno.
const char *privileges_text(struct arena *arena);

// For parsers of what a box wrote. Forks; the child calls `work` with no system call left but the
// one that ends it. Memory that is shared (an arena) carries the result. 0 when it ended well, -1
// with the reason said.
int locked_run(void (*work)(void *), void *argument);
