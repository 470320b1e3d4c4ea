// A look at the caller's files that the box cannot keep out by their modes.
#pragma once

#include <stdbool.h>

struct findings;
struct plan;

// Runs `look` in a process that may read and change all files of the caller's (owned_override()).
// What it adds to the findings comes back. False when it did not come to its end. With a plan that
// process is locked (CONFINED_READER): it changes files where the plan's box could write, beside
// the configurations that the box has copies of, and in the state directory.
// `copies`: the box's, or -1.
bool apart_run(const struct plan *plan, int copies, void (*look)(void *argument), void *argument,
	       struct findings *found);
