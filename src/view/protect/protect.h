// One name that the host later runs or trusts: how it is kept from the box.
#pragma once

#include "plan.h"

struct resolved;
struct wishes;

// Read-only when it exists, else looked for at the end. Its parent has no symlinks.
int protect_name(struct wishes *wishes, const char *path, enum guarded absent, struct origin from);
// Looked for at the end.
int protect_guard(struct wishes *wishes, const char *path, enum guarded kind);

// After a look at the path failed, with errno. A directory on the way that its owner may not look
// into is noted in the plan, to be opened by who runs that: then the plan is made again. Returns
// -1 with an error that says what it is.
int protect_failed(struct wishes *wishes, const char *path);

// Whether what is at `path` counts as there: in the check after a killed run only what stood there
// when that began.
bool protect_stood(const struct plan *plan, const char *path);

// Whether a plan has room for what one more directory of git's may need. Where it has none such a
// directory is read-only as a whole: a box that made many keeps no later run from beginning.
bool protect_has_room(const struct wishes *wishes);

// What the box writes as a whole lies at the path or below it: it cannot be kept from it.
bool protect_holds_root(const struct wishes *wishes, const char *path);

// As resolve_path(). Where the caller cannot go on, the way ends in the directory that keeps out,
// or in the link that leads about in a circle.
int protect_reach(struct wishes *wishes, const char *path, struct resolved *ret_way);
