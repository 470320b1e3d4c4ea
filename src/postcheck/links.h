// Symlinks that lead to what the box could not see.
#pragma once

struct check;
struct findings;
struct plan;

// Of those that a run made or changed: reports `name` in `directory`, a symlink at `path`, when it
// is one: a program of the host that writes or reads through it gets further than the box did. By
// its text; nothing is followed.
void links_look(const struct check *check, int directory, const char *name, const char *path);

// After a command that failed: a finding for each link of the user's at the top of the project, or
// in the current directory, to what exists and is not in the box, but for private places.
void links_out(const struct plan *plan, struct findings *found);
