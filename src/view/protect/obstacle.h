// A directory that keeps sbx from the protected names in it.
#pragma once

struct wishes;

// After a look at the path failed, with errno. A directory on the way that its owner may not look
// into is noted in the plan, to be opened by who runs that: then the plan is made again. Returns
// -1 with an error that says what it is.
int obstacle_failed(struct wishes *wishes, const char *path);
