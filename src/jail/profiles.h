// Profiles that lie in the project: what is policy must not be for a command to change.
#pragma once

#include <stdbool.h>

struct out;
struct plan;
struct wishes;

// Protects each file of the project that this run, or an earlier one here, was given as a profile.
// `covered`: the project is under an overlay, so that there is nothing to protect, only to note.
int profiles_protect(struct wishes *wishes, bool covered);

// Notes this run's, for those to come. What cannot be noted is told.
void profiles_remember(const struct plan *plan, struct out *told);
