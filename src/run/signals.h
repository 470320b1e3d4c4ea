// The signals that reach the supervisor: read from a descriptor, never handled.
#pragma once

struct plan;
struct run;

// A step: blocks all signals, and opens the descriptor to read them from.
int signals_host(const struct plan *plan, struct run *run);
// A step: with --die-with-parent, what tells of the end of the process that started us. -1 when it
// has ended, or is in another pid namespace.
int signals_parent_host(const struct plan *plan, struct run *run);
int signals_parent_undo(const struct plan *plan, struct run *run);
// Hands on to the box what came, at most SIGNALS_A_TURN of them.
void signals_handle(const struct run *run);
// The command has stopped. A shell with job control gets its prompt back when the process stops
// that it has started; what watches a box never stops. So at the first stop the run continues in a
// copy of this process, and the first one only stops, continues and ends as the shell expects.
// Returns in the process that watches; where no shell waits, at once.
int signals_stop(struct run *run);
// Ends by the signal that the command ended by.
void signals_die(int number);
// Signals as the caller had them: before another run is tried.
void signals_again(const struct run *run);
