// By which of the kernel's means the limits are kept: decided in the plan, by what is there.
#pragma once

struct plan;

// Fails when a strict limit cannot be kept here, and says what would be needed.
int means_plan(struct plan *plan);

// In a few words, for `sbx plan` and doctor.
const char *means_text(const struct plan *plan);

// Why there is no better means here, and how to get one.
extern const char means_missing[];

// Where the manager of the user's services listens, or "" when there is none. `size` of 108.
enum bus { BUS_NONE, BUS_MANAGER, BUS_DAEMON };
enum bus means_bus(char *path, unsigned long size);
