// A scope of the user's service manager: asked for when pid 1 of the box exists, waited for before
// its command may start.
#pragma once

struct plan;
struct run;

int scope_ask(const struct plan *plan, struct run *run);
int scope_wait(const struct plan *plan, struct run *run);

// Where the manager of the user's services listens, or "" when there is none. `size` of 108.
enum bus { BUS_NONE, BUS_MANAGER, BUS_DAEMON };
enum bus manager_find(char *path, unsigned long size);
