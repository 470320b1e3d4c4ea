// Git's own view of protected names: a checkout cannot change what is read-only.
#pragma once

struct check;

// Tells when git wrote an index in this run, but not a protected name that it lists there.
void tracked_check(const struct check *check);
