// What the host later runs or trusts, in the project and its repositories: names and means.
#pragma once

#include "plan.h"

struct wishes;

// Adds the project and its protection to the wishes; notes in the plan what is looked for
// afterwards. Nothing is ever created in the user's tree for it.
int protect_plan(struct wishes *wishes);

// Whether the box, by the wishes so far, changes the host's file when it writes there.
// Whether what is at `path` counts as there: in the check after a killed run only what stood there
// when that began.
bool protect_stood(const struct plan *plan, const char *path);
bool protect_is_reached(const struct wishes *wishes, const char *path);

// Whether the box, by the wishes so far, sees the host's file there.
bool protect_is_seen(const struct wishes *wishes, const char *path);

// One name: read-only when it exists, else looked for at the end. Its parent has no symlinks.
int protect_name(struct wishes *wishes, const char *path, enum guarded absent, struct origin from);
int protect_guard(struct wishes *wishes, const char *path, enum guarded kind);
