// The known word that a wrong one was meant to be, for "did you mean".
#pragma once

struct near {
	const char *word, *found; // found: NULL, nothing is near
	unsigned distance;
};

// One more known word (NULL: none). What begins with `word` comes first, the shortest of those;
// then the one with the fewest edits, at most a third of the letters.
void near_consider(struct near *near, const char *known);
