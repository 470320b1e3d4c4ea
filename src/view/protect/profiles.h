// Profiles that were given by a path: what is policy must not be for a command to change.
#pragma once

struct findings;
struct plan;
struct wishes;

// Protects each file that this run, or an earlier one wherever it was, was given as a profile,
// where the box could write it. After the other wishes: they say where that is.
int profiles_protect(struct wishes *wishes);

// Notes this run's, for those to come. A failure to note is reported.
void profiles_remember(const struct plan *plan, struct findings *found);
