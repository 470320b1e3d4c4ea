// By which of the kernel's means the limits are kept: decided in the plan, by what is there.
#pragma once

struct plan;

// Fails when a strict limit cannot be kept here, and says what would be needed.
int means_plan(struct plan *plan);

// In a few words, for `sbx plan` and doctor.
const char *means_text(const struct plan *plan);

// Why there is no better means here, and how to get one.
extern const char means_missing[];
