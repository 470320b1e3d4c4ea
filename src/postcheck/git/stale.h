// Lock files of git that a box left: they keep the host's git from working.
#pragma once

struct check;

// Looks where a directory of the project's repository changed during the run.
void stale_tell(struct check *check);
