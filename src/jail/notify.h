// The supervisor's answers to calls that the second filter of tier landlock passes on.
#pragma once

struct plan;
struct run;

// One question from run->listener: connects a unix socket that the plan names, changes mode or
// times of a file where the box may write, refuses all else. The kernel never runs the call
// itself, so what the box changes in its memory meanwhile counts for nothing.
void notify_answer(const struct plan *plan, struct run *run);
