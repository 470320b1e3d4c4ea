// The system's settings, as a root caller's box sees them: what is root's there is nobody's, so
// that a box reads what anybody may read and no more (rule 26). By id-mapped mounts,
// mount_setattr(2), Linux 5.12.
#pragma once

#include <stdbool.h>

struct mount;
struct plan;
struct run;

// Host side, before there is a user namespace that could not: for a root caller, /etc and /opt.
int settings_host(const struct plan *plan, struct run *run);
int settings_undo(const struct plan *plan, struct run *run);

// Whether a row of the plan is one of them: what is named in it is no more of the same.
bool settings_maps(const struct plan *plan, const struct mount *mount);

// Notes what cannot be kept here.
void settings_plan(struct plan *plan);

// Box side: the detached mount for a row of the plan, now the caller's; -1 when it needs none.
int settings_take(const struct mount *mount);
