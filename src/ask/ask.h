// --ask and --ask-program: a connection to an unlisted host waits for the answer of a person or a
// program. Denials come first (net/rules). A run asks once for each destination. A failure is a no.
//
// The room ask owns questions and answers while a run lasts. Uses: apart, base, net/host,
// net/parse, net/rules, notify, nouns, outside, policy, report, text. Begin with ask_turn().
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

// A child process reads the question on stdin and writes the answer to stdout, a line of JSON each.

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
	pid_t pid; // of keep_program(); 0: none
	int pidfd, answer;
	bool project; // "project" is a possible answer
	char line[REPLY_BYTES_MAX + 2];
	size_t used;
};

int ask_child_start(const struct plan *plan, const struct run *run,
		    const struct ask_program *program, const struct host_question *question,
		    struct ask_child *child);
enum ask_end ask_child_read(struct ask_child *child, enum reply *ret_answer);
void ask_child_end(struct ask_child *child);

// --ask: during a question the box is stopped, and sbx is in the foreground.

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
	bool list;    // the next question is for all destinations
	bool stopped; // pid 1 reported the box stopped
	bool over;    // the run ends: no more questions
	struct termios before;
	pid_t group;                // in the foreground before the question
	int64_t again;              // steady_now() when this state ends
	int64_t recent[RECENT_MAX]; // when the last questions began
};

int terminal_plan(const struct plan *plan);
int terminal_turn(const struct plan *plan, struct run *run);
void terminal_leave(struct run *run);

struct ask {
	struct ask_program program;
	struct ask_child child;
	struct host_question *asked[QUESTION_LIST_MAX]; // destinations asked now, oldest first
	unsigned count;
	unsigned failures[ASK_ENDS]; // by enum ask_end
	struct ask_terminal terminal;
	unsigned unkept; // answers "project" that were not stored
};

// Returns the time at which the question asked now ends unanswered.
int64_t ask_deadline(const struct ask *ask);
enum ask_end ask_read(struct ask *ask, enum reply *ret_answer);
// Applies the answer to all destinations of the question asked now.
int ask_conclude(const struct plan *plan, struct run *run, enum ask_end end, enum reply answer);

void ask_init(struct ask *ask);
int ask_plan(struct plan *plan, struct profile *profile, const struct invocation *invocation);
// Opens the program. Refuses one that a box may change.
int ask_host(const struct plan *plan, struct run *run);
int ask_undo(const struct plan *plan, struct run *run);

int ask_waiting(const struct run *run);
// Returns poll's time-out, at most `milliseconds`.
int ask_wait(const struct ask *ask, int milliseconds);
// Makes no system call without a question.
int ask_turn(const struct plan *plan, struct run *run);
void ask_leave(struct run *run);
void ask_end(struct ask *ask, struct findings *found);

// Answers the connections that wait. `why`: the reason for REPLY_NO. Sets question->answer:
// REPLY_NO where no rule is possible. `unstored` counts answers "project" that were not stored.
int ask_give(const struct plan *plan, struct proxy *proxy, struct host_question *question,
	     enum reply answer, enum hold_answer why, unsigned *unstored);
