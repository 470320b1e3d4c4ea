// Directories of the host under an overlay of the box's own.
#pragma once

struct plan;
struct run;

// Box side: mounts plan->mounts[index].
int scratch_child(const struct plan *plan, struct run *run, unsigned index);
