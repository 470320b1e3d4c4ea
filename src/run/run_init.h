// The state of a run before its first step.
#pragma once

struct run;

// All is zero but the descriptors, which are -1.
void run_init(struct run *run, char *const *arguments, char *const *environment);
