// What the host side needs to look after the project.
#pragma once

#include <stdbool.h>

struct plan;
struct run;

// Whether it does so in this run: the message says that the box stands.
bool hold_reports(const struct plan *plan);

// Sees every wall over a file of the host in its place.
int hold_child(const struct plan *plan, struct run *run);
// Sends the host side the box's copies and namespaces.
int handover_child(const struct plan *plan, struct run *run);
