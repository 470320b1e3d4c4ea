// Privilege: all five capability sets empty, securebits locked, no_new_privs, not dumpable.
#pragma once

struct plan;
struct run;

// Before the clone, by libcap, where the box gets no user namespace: empties the
// bounding, inheritable and ambient sets, which the box's first process then begins with. In a new
// user namespace the kernel gives it full ones in their place (user_namespaces(7)): only it can
// drop them.
int caps_host(const struct plan *plan, struct run *run);
// After the clone, by raw system calls: empties all five.
int caps_child(const struct plan *plan, struct run *run);
