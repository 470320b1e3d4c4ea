// What exists in the box: the profile's paths -> the list of mounts, parents first.
//
// The room view owns the order of all mounts of a box. Uses: base mount nouns text
// view/paths view/protect view/secrets. Begin with gather.c.
#pragma once

struct plan;

// Fills plan->mounts. Reads the host's file system, opens nothing for writing.
int view_plan(struct plan *plan, char *const *environment);
