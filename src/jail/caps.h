// Privilege: all five capability sets empty, securebits locked, no_new_privs, not dumpable.
#pragma once

struct plan;
struct run;

int caps_child(const struct plan *plan, struct run *run);
