// A look at the caller's files that the box cannot keep out by their modes.
#pragma once

#include <stdbool.h>

struct findings;

// Runs `look` in a process that may read and change all files of the caller's (owned_override()).
// What it adds to the findings comes back. False when it did not come to its end.
bool apart_run(void (*look)(void *argument), void *argument, struct findings *found);
