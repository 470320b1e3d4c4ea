// What this machine can enforce, by effect; and why a step failed.
//
// The room probe owns the tests of what this machine can do. Uses: base nouns process view/paths.
// Begin with machine.c.
#pragma once

#include <stdbool.h>

struct arena;
struct finding;
struct probe;

// One system call, for every plan.
void probe_quick(struct probe *probe);

// The caller's capabilities as text, "none", or "unreadable".
const char *probe_capabilities(struct arena *arena);

// The caller may load the programs of --bpf.
bool probe_may_guard(void);

// Why a step of run/steps.c may have failed on this machine and the command that mends it; NULL
// when nothing special is known. Reads /proc and /sys, changes nothing.
const char *probe_advice(const char *step, int error);
