// Whose a process group is.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// Whether a terminal's foreground group is of a run: its own group `own`, or one of the processes
// below `init`. By /proc, which is looked through where the group has no leader.
bool foreground_is_ours(pid_t group, pid_t own, pid_t init);
