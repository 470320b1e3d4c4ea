// Which environment variables look like secrets, open doors or steer loaders. Pure.
#pragma once

// Why a variable is withheld from the command in mode filtered, or NULL when it passes.
const char *variable_withheld(const char *name, const char *value);

// The variables of mode minimal.
extern const char *const variables_minimal[];
