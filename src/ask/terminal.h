// --ask: a question on the terminal. While it is open the box is stopped, the terminal is in a mode
// of sbx and sbx's group is in the foreground; afterwards both are as before.
//
//   waits for the box to stop; then a process shows, throws input away until it is silent for
//   300 ms, reads one line (a letter and Enter) and answers as a program of --ask-program does. The
//   end of the question's time is no.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

struct host_question;
struct out;
struct plan;
struct run;

// The words of a question on a terminal. Pure.
enum { QUESTION_LIST_MAX = 20 }; // hosts in one list

// One question, or a list; each host is shown whole. `letters` are what may be answered.
// `resets`: first what undoes that a box made text invisible.
void question_text(const struct host_question *const *all, unsigned count, const char *letters,
		   unsigned seconds, bool resets, struct out *out);

enum { RECENT_MAX = 5, RECENT_MILLISECONDS = 10000, SILENCE_MILLISECONDS = 300 };

struct ask_terminal {
	enum ask_terminal_state {
		TERMINAL_FREE,
		TERMINAL_STOPS, // the box does
		TERMINAL_ASKS,  // ask->child
	} state;
	struct host_question *asked[QUESTION_LIST_MAX];
	unsigned count;
	const char *letters;
	bool stopped; // the box's first process said so
	bool over;    // the run ends: nothing is asked any more
	struct termios before;
	pid_t group;                // in front, before
	int64_t again;              // milliseconds of the steady clock: the end of this state
	int64_t end;                // of the question's time
	int64_t recent[RECENT_MAX]; // when the last ones began
};

// -1 with the reason said where nobody could be asked.
int terminal_plan(const struct plan *plan);
int terminal_turn(const struct plan *plan, struct run *run);
int terminal_wait(const struct ask_terminal *terminal, int milliseconds);
// Gives the terminal back, when it is held, and lets the box go on; what is asked stays unanswered.
void terminal_leave(struct run *run);
