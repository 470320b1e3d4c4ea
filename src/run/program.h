// The program of a command as the caller has it outside, beside what the box has.
#pragma once

struct findings;
struct out;
struct plan;

// Why the box did not find it: one finding, with the fix.
void program_absent(const struct plan *plan, struct findings *found);

// A finding when the box ran another program of that name than the caller's PATH finds first.
void program_other(const struct plan *plan, struct findings *found);

// A finding when a command that failed runs a program that gives rights, like sudo, which none can
// in a box, or that talks to a daemon whose socket the box has not.
void program_needs(const struct plan *plan, struct findings *found);

// A finding for each variable of the caller that leads to a program outside and was withheld.
void program_withheld(const struct plan *plan, struct findings *found);
// The same: search paths and files that a variable names and the box lacks, and search paths that
// were withheld.
void program_names(const struct plan *plan, struct findings *found);

// Directories where the caller finds programs and the box does not: appends those of `list`, a
// value of PATH, that lie in the home, exist, and are not in the box, each after a blank, and "and
// more" after the third. Returns how many there are; `list` may be NULL.
unsigned program_unseen(const struct plan *plan, const char *list, struct out *out);
