// The room probe owns the tests of what this machine can do. Uses: base, nouns, process,
// view/paths. Begin with machine.c.
#pragma once

#include <stdbool.h>

struct arena;
struct wall;
struct probe;

// Asks for the Landlock ABI, which every plan needs.
void probe_quick(struct probe *probe);

// Returns capabilities as text, "none", or "unreadable".
const char *probe_capabilities(struct arena *arena);

// Whether --bpf is permitted.
bool probe_may_guard(void);

// Returns the likely cause of a failed step (run/steps.c) and its remedy, or NULL. Changes nothing.
const char *probe_advice(const char *step, int error);
