// What boxes changed that the host runs, once for each content, until a person was shown it; and
// findings that are reported once.
#pragma once

#include <stdbool.h>

struct arena;
struct findings;
struct plan;

// Removes from `found` each name that was reported with this very content before, and what its
// reader was shown once (FINDING_UNTRUSTED, FINDING_HEADLESS and FINDING_ELSEWHERE until they
// change, FINDING_LINK for good, FINDING_POLICY, FINDING_BACKGROUND and FINDING_LEFT in an agent's
// session). For a person on a terminal it adds the names that earlier runs changed and nobody was
// shown.
void unshown_note(const struct plan *plan, struct findings *found);

// Before the command begins: a name that changed since its report is reported again with any
// content.
void unshown_begin(struct plan *plan);

// A line of the project's list: 'u' a name that no person was shown yet, 's' one that was shown.
struct unshown_line {
	char state;
	const char *content, *stamp, *path;
};
const char *unshown_text(struct arena *arena, const char *state, const char *project);
// The next name of such a text; false after the last.
bool unshown_next(struct arena *arena, const char **at, struct unshown_line *ret_line);
