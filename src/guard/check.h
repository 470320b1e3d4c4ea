// The look at the host's files when the last process of a box is dead.
#pragma once

#include <stdint.h>

#include "guard/tracked.h"

struct out;
struct plan;
struct run;

// Merges git's configurations, takes away what appeared under protected names, and tells: in
// `told` what was done to whom, in `changed` the names that the host will run later. New
// repositories are looked for in all that was writable as a whole.
enum { SHORT_RUN_MILLISECONDS = 100 };
void check_host(const struct plan *plan, const struct run *run, enum command_end end,
		struct out *told, struct out *changed);
