// Files whose names say that they hold secrets, as a check meets them: later runs hide them.
#pragma once

#include "trees/git_list.h"

struct arena;
struct check;
struct searched;

struct check_secrets {
	struct listed known; // the tree's list, empty where there is none
	struct listed fresh; // what it lacks
};

void secrets_read(struct check_secrets *secrets, const struct searched *tree, struct arena *arena);
// An entry of an open directory; `path` is below the tree.
void secrets_look(struct check_secrets *secrets, const struct check *check, int directory,
		  const char *name, const char *path);
void secrets_write(const struct check_secrets *secrets, const struct searched *tree);
// What boxes made and this one could change is still of boxes.
void secrets_renew(const struct check *check);
