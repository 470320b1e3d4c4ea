// What a box can leave where sbx protects a name, so that the next run could not protect it.
#pragma once

struct wishes;

// Notes it in the plan, to be moved to quarantine before the run: then the plan is made
// again. Returns -1 with an error that says what it is and how it is removed.
int obstacle_note(struct wishes *wishes, const char *path, const char *why);

// After a look at it failed, with errno. A symlink on the way that nobody can follow is such an
// obstacle, and so is a directory that is shut, which is to be opened. Returns -1.
int obstacle_failed(struct wishes *wishes, const char *path);
