// What the host side needs to look after the project.
#pragma once

struct plan;
struct run;

// Sees every wall over a file of the host in its place, and sends the host side the box's copies
// and namespaces.
int hold_child(const struct plan *plan, struct run *run);
