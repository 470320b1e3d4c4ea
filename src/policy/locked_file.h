// The administrator's file, /etc/sbx/locked.ini: its lines hold in each run, whatever profiles, the
// project's file and flags say. It only tightens. It binds sbx, not a user who starts another
// program.
#pragma once

#include <stdbool.h>

struct arena;
struct list;
struct profile;

// Lays the file over the profile, after all else. `ret_lines`: how many hold, 0 without the file;
// `notes` gets a line about them. -1 with the error said: the file cannot be read, is not root's
// alone to write, or has a line that loosens; then nothing may run. `inside`: this process stands
// in a box of sbx, where root's files can belong to nobody and the directory is hidden: that box
// has the lines already.
int locked_merge(struct arena *arena, bool inside, struct profile *profile, struct list *notes,
		 unsigned *ret_lines);
