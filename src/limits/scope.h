// A scope of the user's service manager: asked for when pid 1 of the box exists, waited for before
// its command may start.
#pragma once

struct plan;
struct run;

int scope_ask(const struct plan *plan, struct run *run);
int scope_wait(const struct plan *plan, struct run *run);
