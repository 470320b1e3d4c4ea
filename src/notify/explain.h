// --explain: which files, programs and sockets a run was refused. The second filter asks the
// supervisor before opens for writing, changes of names, execve and connect; it looks whether the
// box allows what the host would allow, notes what it does not, and lets every call go on. Nothing
// is decided here: what the box changes in its memory meanwhile only makes a report wrong. Only
// bind in a box on the host's network is decided, with or without --explain: by notify.h.
#pragma once

struct denials;
struct plan;
struct run;

// Second half of the plan.
int explain_plan(struct plan *plan);

// Answers one question from run->listener.
void explain_answer(const struct plan *plan, struct run *run, struct denials *denials);
