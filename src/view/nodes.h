// Devices and terminals that are handed over: mode, owner and times of the host's node could be
// changed by such a descriptor. So the box opens the node again at a mount that is read-only.
#pragma once

#include <stdbool.h>

struct plan;
struct wishes;

// Whether the descriptor is a directory. A device is noted.
bool nodes_note(struct plan *plan, int fd);
// After the fixed devices: says where the box has the node of each.
int nodes_plan(struct wishes *wishes);
