// The run as one table: both processes walk it, each its own side.
//
// The room run owns the order of a run, its plan and its supervisor. Uses: base ask bpf
// env keys limits lsp mount net/host net/setup notify nouns outside policy postcheck
// postcheck/finding probe process report seccomp session/apply sshagent view view/paths
// view/protect. Begin with steps.c.
#pragma once

#include <stdbool.h>

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
	// In the place of `go`, where the plan is made. After the last of these it is read-only.
	int (*make)(struct plan *plan, struct run *run);
	bool lost_without_namespaces; // where the machine has none: tier landlock may do
	const char *why;              // what it is for, and why it stands here
};

extern const struct step steps[];
extern const int step_count;

// Walks one side of the steps table: times each, names the one that failed, undoes backwards.

// Whether the plan's tier has this step.
bool walk_has_step(const struct plan *plan, const struct step *step);

// Host side: 0, or -1 with run->message naming the step; all steps are undone by then.
// Box side: does not return; a failure is sent to the host and ends the process.
int walk_host(struct plan *plan, struct run *run);
void walk_undo(const struct plan *plan, struct run *run);
