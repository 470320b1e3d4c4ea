// The signals that reach the supervisor: read from a descriptor, never handled.
#pragma once

#include <stdbool.h>

struct denials;
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

// The supervisor lets the caller's descriptors go: a pipe ends when the command's end of it is
// closed.

// A step: opens /dev/null, which may fail, while the box has not begun.
int standard_io_host(const struct plan *plan, struct run *run);
int standard_io_undo(const struct plan *plan, struct run *run);

// Puts it in the place of stdin and stdout, and closes what --keep-fd names. Not before the box
// stands: one that fails is made anew, or in a lower tier, and that one needs them.
int standard_io_release(const struct plan *plan, struct run *run);
// A run in the background holds nothing of its caller's but 0, 1, 2 and what it was given; and who
// waits for it is notified, once.
int standard_io_alone(const struct plan *plan);
void standard_io_started(const struct plan *plan, const struct run *run);

// Whether a message of the box says when.
bool standard_io_waits(const struct plan *plan);

// After the undo: what the processes refused that pass on what the box says (lsp, sshagent).
void standard_io_refusals(const struct run *run, struct denials *denials);

// The next pipe that a text names as /dev/fd/N or /proc/self/fd/N, as <(...) of a shell does, also
// in "--config=<(...)", and not behind a space; `text` goes on behind it. -1: none.
int standard_io_named(const char **text);
