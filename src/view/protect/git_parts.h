// The parts of one git directory that act on the host's git, and the names at its top.
#pragma once

#include "git/layout.h"
#include "plan.h"

struct wishes;
struct names_found;

// Reads the names at the top into `found`, and into wishes->names, which the caller restores.
void git_parts_read(struct wishes *wishes, const char *directory, struct names_found *found);
// Protects the parts, and adds the guard that compares new names with those in `found`. `top` as in
// copies_add().
int git_parts_protect(struct wishes *wishes, const char *directory, const char *top,
		      const struct names_found *found, struct origin from, enum layout_place place);
