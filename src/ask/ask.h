// --ask and --ask-program: a connection to an unlisted host waits for the answer of a person or a
// program. Denials come first (net/rules). A run asks for each destination once. Any failure means
// no.
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

// A process gets the question as one line of JSON on stdin and writes one on stdout. Then it is
// killed with its descendants.

enum ask_end {
	ASK_PENDING,
	ASK_ANSWERED,
	ASK_NOT_STARTED,
	ASK_SILENT,
	ASK_DIED,
	ASK_MALFORMED,
	ASK_UNOFFERED,
	ASK_ENDS
};

struct ask_child {
	pid_t pid; // of its keeper; 0: none
	int pidfd, answer;
	bool project; // "project" was offered
	char line[ANSWER_BYTES_MAX + 2];
	size_t used;
};

int ask_child_start(const struct plan *plan, const struct run *run,
		    const struct ask_program *program, const struct host_question *question,
		    struct ask_child *child);
enum ask_end ask_child_read(struct ask_child *child, enum answered *ret_answer);
void ask_child_end(struct ask_child *child);

// --ask: a question on the terminal. Meanwhile the box is stopped, and sbx's group is in the
// foreground. Another process waits for the answer (ask/typed.h). No answer in time means no.

// The words of a question on a terminal. Pure.
enum { QUESTION_LIST_MAX = 20 };

void question_text(const struct host_question *const *all, unsigned count, const char *letters,
		   unsigned seconds, struct out *out);

enum { RECENT_MAX = 5, RECENT_MILLISECONDS = 10000 };

struct ask_terminal {
	enum ask_terminal_state {
		TERMINAL_FREE,
		TERMINAL_STOPS,
		TERMINAL_ASKS,
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

// -1 with the reason said: no terminal to ask on.
int terminal_plan(const struct plan *plan);
int terminal_turn(const struct plan *plan, struct run *run);
void terminal_leave(struct run *run);

struct ask {
	struct ask_program program;
	struct ask_child child;
	struct host_question *asked[QUESTION_LIST_MAX]; // now, the one that waits longest first
	unsigned count;
	unsigned failures[ASK_ENDS]; // of each kind, of a program
	struct ask_terminal terminal;
	unsigned unkept; // answers of "project" that could not be stored
};

// When the open question ends unanswered.
int64_t ask_deadline(const struct ask *ask);
// What the child says, or ASK_SILENT.
enum ask_end ask_read(struct ask *ask, enum answered *ret_answer);
// All that is asked has this answer.
int ask_conclude(const struct plan *plan, struct run *run, enum ask_end end, enum answered answer);

void ask_init(struct ask *ask);
// First half of the plan.
int ask_plan(struct plan *plan, struct profile *profile, const struct invocation *invocation);
// Finds the program. -1 with the reason said: a box may change it.
int ask_host(const struct plan *plan, struct run *run);
int ask_undo(const struct plan *plan, struct run *run);

int ask_waiting(const struct run *run);
// Poll's time-out: `milliseconds`, or the end of the question's time.
int ask_wait(const struct ask *ask, int milliseconds);
// In each turn of the loop; makes no system call without a question. -1 with the error said: the
// proxy is gone.
int ask_turn(const struct plan *plan, struct run *run);
void ask_leave(struct run *run);
void ask_end(struct ask *ask, struct findings *found);

// An answer, given to the connections that wait for it.

// `why`: for an answer of no. question->answer: what the rules left of the answer. `unstored`
// counts answers of "project" that hold in this run only. -1 with the error said: the proxy is
// gone.
int ask_give(const struct plan *plan, struct proxy *proxy, struct host_question *question,
	     enum answered answer, enum hold_answer why, unsigned *unstored);
