// --ask and --ask-program: who connects to what is not listed waits while a person or a program
// answers; nothing that
// `deny`, the administrator's file or the ranges of addresses refuse is asked for (net/rules). Each
// destination is asked for once in a run, one at a time, and whatever goes wrong means no.
//
// The room ask owns questions and answers while a run lasts. Uses: base net/host net/parse
// net/rules notify nouns outside policy report text. Begin with ask_turn().
#pragma once

#include <stdbool.h>

#include "ask/ask_program.h"
#include "ask/terminal.h"
#include "net/host/questions.h"

struct findings;
struct host_question;
struct invocation;
struct plan;
struct profile;
struct proxy;
struct run;

struct ask {
	struct ask_program program;
	struct ask_child child;
	struct host_question *question; // that is being asked
	unsigned failures[ASK_ENDS];    // of each kind
	struct ask_terminal terminal;
	unsigned unkept; // answers of "project" that could not be written down
};

void ask_init(struct ask *ask);
// First half of the plan: who answers, and what was answered in earlier runs of the project.
int ask_plan(struct plan *plan, struct profile *profile, const struct invocation *invocation);
// Host step, when the view is decided: finds the program. -1 with the reason said when a box may
// change it.
int ask_host(const struct plan *plan, struct run *run);
int ask_undo(const struct plan *plan, struct run *run);

// What to wait for, or -1.
int ask_waiting(const struct run *run);
// Poll's time-out: this one, or the end of the question's time.
int ask_wait(const struct ask *ask, int milliseconds);
// After each turn of the loop. Makes no system call where nobody is asked. -1 with the error said
// when the proxy is gone.
int ask_turn(const struct plan *plan, struct run *run);
// The box has ended, or the run's time: the terminal is given back, and nothing is asked any more.
void ask_leave(struct run *run);
// The box has ended: so has the question. A line for each kind of failure.
void ask_end(struct ask *ask, struct findings *found);

// An answer, given to the connections that wait for it.

// `why` is for an answer of no. What may not be opened is refused, whatever the answer was:
// question->answer says what it came to. `unstored` counts answers of the project that could not be
// written down: they hold in this run all the same. -1 with the error said when the proxy is gone.
int ask_give(const struct plan *plan, struct proxy *proxy, struct host_question *question,
	     enum answered answer, enum hold_answer why, unsigned *unstored);
