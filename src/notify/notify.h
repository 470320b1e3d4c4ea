// The answers to calls that the second filter passes on, given by a thread of the supervisor: what
// a call waits for (a server, a slow file system) keeps neither limits nor --timeout from being
// kept.
//
// The room notify owns the answers to system calls of a box that the kernel asks about. Uses: base
// nouns report seccomp view/paths. Begin with notify.c.
#pragma once

struct denials;
struct plan;
struct run;

// Begins to answer what run->listener asks, or with --explain what asker_hand() hands on.
// -1 with the error said. The kernel never runs a call that is answered here, so what the box
// changes in its memory, descriptors and directories meanwhile counts for nothing.
int notify_begin(const struct plan *plan, struct run *run);

// --explain: which files, programs and sockets a run was refused. The second filter asks a second
// thread before opens for writing, changes of names, execve and connect; it looks whether the
// box allows what the host would allow, notes what it does not, and lets every call go on. Nothing
// is decided here: what the box changes in its memory meanwhile only makes a report wrong. Only
// bind in a box on the host's network is decided, with or without --explain: by notify.h.

// Second half of the plan.
int explain_plan(struct plan *plan);

// Answers one question from run->listener; each refusal goes to the socket `notes`. `root` is
// the box's, -1 before the first question.
void explain_answer(const struct plan *plan, const struct run *run, int notes, int *root);
// The refusals until now: of the loop, which waits for nobody.
void explain_take(const struct plan *plan, const struct run *run, struct denials *denials);
