// What the profile says about the network, decided.
#pragma once

struct plan;

// Before the clone: what the box's own network is made of.
int egress_plan(struct plan *plan);
// Refuses more rules than the proxy has room for.
int egress_count(const struct plan *plan);
// Where the caller's own proxy is, by key or by environment.
int egress_upstream(struct plan *plan, char *const *environment);
