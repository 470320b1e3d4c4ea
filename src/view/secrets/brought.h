// Files that the caller's variables and git's configuration name: they come along with their names.
#pragma once

struct wishes;

// After all wishes, before those of hide_plan(): adds the named files that the box does not see
// yet.
int brought_plan(struct wishes *wishes);
// After hide_plan(): a variable is withheld when its file is hidden.
void brought_settle(struct wishes *wishes);
