// Mounts that every view has, made while the host side still plans: detached, so that they are
// nowhere until the plan names them.
#pragma once

#include "plan.h"

struct run;

// Box side. What cannot be made is left to the view, which says why.
int prepare_child(const struct plan *plan, struct run *run);

// The detached mount for a row of the plan, now the caller's; -1 when there is none. One of a
// source is of the very object that the plan saw.
int prepare_take(struct run *run, const struct mount *mount);

// Of what the box sees of something of the host, or of a mask.
struct mount_attr mount_attributes(enum access access);
