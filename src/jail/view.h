// What exists in the box: the profile's paths -> the list of mounts, parents first.
#pragma once

struct plan;

// Fills plan->mounts. Reads the host's file system, opens nothing for writing.
int view_plan(struct plan *plan, char *const *environment);
