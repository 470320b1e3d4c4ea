// The names of the directories in one, behind each other.
#pragma once

#include <stddef.h>

struct walk_names {
	char *text; // free()d by the owner
	size_t used, size;
	unsigned count;
};

void walk_names_add(struct walk_names *names, const char *name);
// Sorted by strcmp(); to be free()d.
const char **walk_names_sort(const struct walk_names *names);
