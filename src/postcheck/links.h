// Symlinks that a run made or changed, and that lead to what the box could not see.
#pragma once

struct check;

// Reports `name` in `directory`, a symlink at `path`, when it is one: a program of the host that
// writes or reads through it gets further than the box did. By its text; nothing is followed.
void links_look(const struct check *check, int directory, const char *name, const char *path);
