// The check after a run of this project whose supervisor was killed: before anything else of it.
#pragma once

struct plan;
struct run;

// Reports on standard error what it did. Nothing of it changes the plan.
// `view` makes the second half of a plan.
void due_check(const struct plan *plan, const struct run *run,
	       int (*view)(struct plan *plan, char *const *environment));
