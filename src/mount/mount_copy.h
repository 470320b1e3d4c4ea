// The mount of a copy of git's configuration (MOUNT_COPY).
#pragma once

struct plan;
struct run;

// The mount of this index of the plan. Box side.
int mount_copy_child(const struct plan *plan, struct run *run, unsigned index);
