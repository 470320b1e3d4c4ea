// Refusals of a run, reported while it runs: to a program by events.h, to a person on the terminal
// where a line harms nothing.
//
// A line is shown when stderr is a terminal that is in canonical mode, with echo and output
// processing, as shells leave it to a command: a full-screen program, a line editor and a question
// for a password have switched one of them off. Else it waits, at most until the report of the end.
// The terminal is never waited for and never read, and what the box does there is not looked at.
#pragma once

#include <stdint.h>

#include "base/out.h"

struct denials;
struct plan;
struct run;

enum {
	LIVE_LINES_A_SECOND = 3,
	LIVE_LINES_MAX = 60, // in a run; the others are in the report of the end
};

struct live {
	enum { LIVE_UNASKED, LIVE_OFF, LIVE_ON } state;
	int fd;          // of the terminal: a description of our own, which never waits
	unsigned next;   // denials before it were shown, or counted
	unsigned lines;  // since `second`, when a line was shown first
	unsigned all;    // lines of this run
	int64_t second;  // milliseconds of the steady clock, as is
	int64_t again;   // when to look again; 0: nothing waits
	struct out rest; // of a line that the terminal has not taken whole
};

void live_begin(struct live *live);
// After each turn of the loop. Makes no system call where nothing was refused.
void live_turn(struct live *live, const struct plan *plan, struct run *run,
	       struct denials *denials);
// Poll's time-out: this one, or until something that waits is looked at again.
int live_wait(const struct live *live, int milliseconds);
void live_end(struct live *live);
