// The command's environment: built, not inherited.
//
// The room env owns the command's environment. Uses: base nouns. Begin with env.c.
#pragma once

struct plan;

// Fills plan->environment and plan->variables from the caller's.
int env_plan(struct plan *plan, char *const *environment);

// A variable of the built environment, or NULL.
const char *env_value(const struct plan *plan, const char *name);
