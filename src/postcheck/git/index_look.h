// Git's index after a run: what it makes the host's git write, read or not show.
#pragma once

#include <stdbool.h>

struct check;

// Looks at the index of the git directory that is open as `directory`, at `path`, when the run
// changed it or, with `shared`, another file of it. One that git would not write itself goes to
// quarantine. From others what only saves time is removed, under git's own lock, and git compares
// the contents of files that changed since the run began. Tells which files are marked in it so
// that changes are not shown, and of the project's index which protected names git did not write.
void index_look(struct check *check, int directory, const char *path, bool shared);

// Git wrote in its directory, no merge waits for its end, and the command failed: tells which names
// that the project's index lists were read-only, as a refused write leaves no other trace.
void index_tell_tracked(struct check *check);
