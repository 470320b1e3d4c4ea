// --ask and --ask-program: who connects to what is not listed waits while a person or a program
// answers; nothing that
// `deny`, the administrator's file or the ranges of addresses refuse is asked for (net/rules). Each
// destination is asked for once in a run, one at a time, and whatever goes wrong means no.
//
// The room ask owns questions and answers while a run lasts. Uses: apart base net/host net/parse
// net/rules notify nouns outside policy report text. Begin with ask_turn().
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#include "net/host/destinations.h"
#include "net/parse/parse.h"
#include "outside/outside.h"

struct findings;
struct invocation;
struct out;
struct plan;
struct profile;
struct proxy;
struct run;

// One question to the program of --ask-program: one process for each, one line of JSON on
// its stdin, one on its stdout, and then it is killed with all that it began.

// What became of a question.
enum ask_end {
	ASK_PENDING,
	ASK_ANSWERED,
	ASK_NOT_STARTED,
	ASK_SILENT,    // until the question's time was over
	ASK_DIED,      // without an answer
	ASK_MALFORMED, // or too long
	ASK_UNOFFERED, // an answer that was not offered
	ASK_ENDS
};

struct ask_child {
	pid_t pid; // of its keeper; 0: none runs
	int pidfd, answer;
	bool project; // was offered
	char line[ANSWER_BYTES_MAX + 2];
	size_t used;
};

// -1 when it cannot be started.
int ask_child_start(const struct plan *plan, const struct run *run,
		    const struct ask_program *program, const struct host_question *question,
		    struct ask_child *child);
// Reads what there is.
enum ask_end ask_child_read(struct ask_child *child, enum answered *ret_answer);
void ask_child_end(struct ask_child *child);

// --ask: a question on the terminal. While it is open the box is stopped, the terminal is in a mode
// of sbx and sbx's group is in the foreground; afterwards both are as before.
//
//   waits for the box to stop; then a process waits for the answer (ask/typed.h) and gives it as a
//   program of --ask-program does. The end of the question's time is no.

// The words of a question on a terminal. Pure.
enum { QUESTION_LIST_MAX = 20 }; // hosts in one list

// One question, or a list; each host is shown whole. `letters` are what may be answered.
void question_text(const struct host_question *const *all, unsigned count, const char *letters,
		   unsigned seconds, struct out *out);

enum { RECENT_MAX = 5, RECENT_MILLISECONDS = 10000 };

struct ask_terminal {
	enum ask_terminal_state {
		TERMINAL_FREE,
		TERMINAL_STOPS, // the box does
		TERMINAL_ASKS,  // ask->child
	} state;
	const char *letters;
	bool list;    // the next question is one
	bool stopped; // the box's first process said so
	bool over;    // the run ends: nothing is asked any more
	struct termios before;
	pid_t group;                // in front, before
	int64_t again;              // milliseconds of the steady clock: the end of this state
	int64_t recent[RECENT_MAX]; // when the last ones began
};

// -1 with the reason said where nobody could be asked.
int terminal_plan(const struct plan *plan);
int terminal_turn(const struct plan *plan, struct run *run);
// Gives the terminal back, when it is held, and lets the box go on; the question stays unanswered.
void terminal_leave(struct run *run);

struct ask {
	struct ask_program program;
	struct ask_child child;
	struct host_question *asked[QUESTION_LIST_MAX]; // now, the one that waits longest first
	unsigned count;
	unsigned failures[ASK_ENDS]; // of each kind, of a program
	struct ask_terminal terminal;
	unsigned unkept; // answers of "project" that could not be written down
};

// When the open question ends unanswered.
int64_t ask_deadline(const struct ask *ask);
// What the child says, or ASK_SILENT.
enum ask_end ask_read(struct ask *ask, enum answered *ret_answer);
// All that is asked has this answer.
int ask_conclude(const struct plan *plan, struct run *run, enum ask_end end, enum answered answer);

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
