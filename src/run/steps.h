// The run as one table: both processes walk it, each its own side.
#pragma once

struct plan;
struct run;

enum side { SIDE_HOST, SIDE_BOX };
enum tiers { FULL, LANDLOCK, BOTH };

struct step {
	enum side side;
	enum tiers tiers; // that have this step
	const char *name; // in messages, --timing and the man page
	int (*go)(const struct plan *plan, struct run *run);
	int (*undo)(const struct plan *plan, struct run *run); // host side, backwards; may be NULL
	const char *why; // what it is for, and why it stands here
};

extern const struct step steps[];
extern const int step_count;
