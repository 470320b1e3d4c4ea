// pid 1 of the box: starts the command, reaps, forwards signals, ends with the command.
#pragma once

struct plan;
struct run;

// Never returns on success. A failed exec is reported as MESSAGE_NO_EXEC.
int init_child(const struct plan *plan, struct run *run);
