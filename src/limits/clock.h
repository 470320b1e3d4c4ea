// The end from outside: the wall clock and the other limits that the supervisor keeps.
#pragma once

#include <stdint.h>

#include "limits/usage.h"

struct plan;
struct run;

struct clock {
	int64_t begin, end; // milliseconds of the steady clock; an end of -1: none
	enum stop stop;     // why the run is being ended
	bool asked;         // pid 1 of tier landlock, to end all
};

// The time counts from the first step of the run.
void clock_begin(const struct plan *plan, const struct run *run, struct clock *clock);

// Looks whether a limit is met, and ends the box then: with SIGTERM, and SIGKILL after a grace, or
// at once where there is no time to lose. Returns the milliseconds to sleep, -1: for ever.
int clock_tick(const struct plan *plan, struct run *run, struct clock *clock);

// SIGTERM now, and SIGKILL after a grace.
void clock_end(const struct run *run, struct clock *clock, enum stop why);

// A signal to pid 1 of the box, which forwards it.
void clock_signal(const struct run *run, int number);
