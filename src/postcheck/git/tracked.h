// Git's own view of protected names: a checkout cannot change what is read-only.
#pragma once

struct check;

// Tells when git, in this run, could not change a tracked name that is protected.
enum command_end { COMMAND_DONE, COMMAND_FAILED };
void tracked_check(const struct check *check, enum command_end end);
