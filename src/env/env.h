// The command's environment: built, not inherited.
//
// The room env owns the command's environment. Uses: base nouns. Begin with env.c.
#pragma once

struct plan;

// Fills plan->environment and plan->variables from the caller's.
int env_plan(struct plan *plan, char *const *environment);

// A variable of the built environment, or NULL.
const char *env_value(const struct plan *plan, const char *name);

// Which environment variables look like secrets, open doors or steer loaders. Pure.

// Why a variable is withheld from the command in mode filtered, or NULL when it passes.
const char *variable_withheld(const char *name, const char *value);

// The profile that passes a withheld variable together with what it leads to, or NULL: none does.
const char *variable_profile(const char *name);

// The variables of mode minimal.
extern const char *const variables_minimal[];
