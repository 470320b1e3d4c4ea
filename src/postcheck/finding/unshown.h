// What boxes changed that the host runs, once for each content, until a person was shown it.
#pragma once

struct arena;
struct findings;
struct plan;

// Removes from `found` each name that was reported with this very content before. For a person on a
// terminal it adds the names that earlier runs changed and nobody was shown.
void unshown_note(const struct plan *plan, struct findings *found);

// Before the command begins: a name that changed since its report is reported again with any
// content.
void unshown_begin(const struct plan *plan);

// Paths of the project that nobody was shown yet, with ", " between; "" when there is none.
const char *unshown_list(struct arena *arena, const char *state, const char *project);
