// The caller's terminal: given back as it was, on every way out.
#pragma once

struct plan;
struct run;

int tty_host(const struct plan *plan, struct run *run);
int tty_undo(const struct plan *plan, struct run *run);
// The shell has put us in front again: so is the box.
void tty_lend(struct run *run);
