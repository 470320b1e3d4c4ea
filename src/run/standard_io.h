// The supervisor lets the caller's descriptors go: a pipe ends when the command's end of it is
// closed.
#pragma once

#include <stdbool.h>

struct denials;
struct plan;
struct run;

// A step: opens /dev/null, which may fail, while the box has not begun.
int standard_io_host(const struct plan *plan, struct run *run);
int standard_io_undo(const struct plan *plan, struct run *run);

// Puts it in the place of stdin and stdout, and closes what --keep-fd names. Not before the box
// stands: one that fails is made anew, or in a lower tier, and that one needs them.
int standard_io_release(const struct plan *plan, struct run *run);

// Whether a message of the box says when.
bool standard_io_waits(const struct plan *plan);

// After the undo: what the processes refused that pass on what the box says (lsp, sshagent).
void standard_io_refusals(const struct run *run, struct denials *denials);

// The pipe that a word of a command names as /dev/fd/N or /proc/self/fd/N, as <(...) of a shell
// does; -1: none.
int standard_io_named(const char *word);
