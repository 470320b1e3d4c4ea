// Whether the terminal's foreground process group is of this run: then the person in front of it
// looks at it.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// `own` is sbx's group, `init` the box's first process. By /proc, which is looked through where the
// group has no leader.
bool foreground_is_ours(pid_t group, pid_t own, pid_t init);
