// The command's environment: built, not inherited.
//
// The room env owns the command's environment. Uses: base git nouns text. Begin with env.c.
#pragma once

struct plan;

int env_plan(struct plan *plan, char *const *environment);

// A variable of the built environment, or NULL.
const char *env_value(const struct plan *plan, const char *name);

// Why a variable of the caller does not reach the command, or NULL.
const char *env_withheld(const struct plan *plan, const char *name, const char *value);

struct path_variable {
	const char *name;
	enum path_form {
		PATH_OF_SETTINGS,
		PATH_OF_GIT,
		PATH_OF_ROOTS,       // PEM; set to the opener's if there is one
		PATH_OF_OTHER_ROOTS, // or directories of them
		PATH_OF_TERMINALS,   // directories of terminfo(5)
		PATH_OF_DIRECTORY,
	} form;
};
extern const struct path_variable path_variables[]; // the last one has no name
extern const unsigned path_variable_count;

// NULL: passes.
const char *variable_withheld(const char *name, const char *value);

// NULL: no profile passes it.
const char *variable_profile(const char *name);

// Addresses that pass without user and password.
extern const char *const variables_of_registries[];

extern const char *const variables_minimal[];
