// Files of the project that git does not track and whose names say that they hold secrets (.env):
// in the box they are as if they were not there.
#pragma once

struct wishes;

// After all other wishes. The list of trees/secret_list.h says which are known; without one the
// whole project is searched, and the command is not run where that has no end. An entry of git's
// index counts only where it names the very content: a box can write the index, and does not know
// the content.
int untracked_plan(struct wishes *wishes);
