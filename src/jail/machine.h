// What this machine can enforce, by effect; and why a step failed.
#pragma once

#include <stdbool.h>

struct finding;
struct probe;

// True in a box of sbx; false in one of another make, or in none.
bool probe_in_box(void);

// One system call, for every plan.
void probe_quick(struct probe *probe);

// Why a step of run/steps.c may have failed on this machine and the command that mends it; NULL
// when nothing special is known. Reads /proc and /sys, changes nothing.
const char *probe_advice(const char *step, int error);
