// New entries of a git directory that git does not make itself.
#pragma once

#include <stdbool.h>

struct check;
struct list;

// Checks the git directory that is open as `directory`, at `path`. `known`: the names that
// were there, from the guard; NULL: those of the tree's list, and of a directory that is not in it
// names that git does not have are not reported.
// `top`: its top may have new names. Moved to quarantine: git directories in other places than
// git's, links, FIFOs, devices, and files that git runs or that lead it elsewhere.
void parts_look(struct check *check, int directory, const char *path, const struct list *known,
		bool top);
// Moves parts of a git directory to quarantine until git does not take it for one.
void parts_undo(struct check *check, int directory, const char *path);
