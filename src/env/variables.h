// Which environment variables look like secrets, open doors or steer loaders. Pure.
#pragma once

// Why a variable is withheld from the command in mode filtered, or NULL when it passes.
const char *variable_withheld(const char *name, const char *value);

// The profile that passes a withheld variable together with what it leads to, or NULL: none does.
const char *variable_profile(const char *name);

// The variables of mode minimal.
extern const char *const variables_minimal[];
