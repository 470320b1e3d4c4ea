// The command's environment: built, not inherited.
//
// The room env owns the command's environment. Uses: base, git, nouns, text. Begin with env.c.
#pragma once

struct plan;

int env_plan(struct plan *plan, char *const *environment);

// Returns a variable of the built environment, or NULL.
const char *env_value(const struct plan *plan, const char *name);

// Returns why a caller's variable does not reach the command, or NULL.
const char *env_withheld(const struct plan *plan, const char *name, const char *value);

struct path_variable {
	const char *name;
	enum path_form {
		PATH_OF_SETTINGS,
		PATH_OF_GIT,
		PATH_OF_ROOTS,       // a PEM file; set to the opener's file if there is one
		PATH_OF_OTHER_ROOTS, // a PEM file, or directories of them
		PATH_OF_TERMINALS,   // directories of terminfo(5)
		PATH_OF_DIRECTORY,
	} form;
};
extern const struct path_variable path_variables[]; // the last row has no name
extern const unsigned path_variable_count;

// Returns why the variable is withheld, or NULL.
const char *variable_withheld(const char *name, const char *value);

// Returns the profile that passes the variable, or NULL.
const char *variable_profile(const char *name);

// Variables whose addresses pass without user and password.
extern const char *const variables_of_registries[];

extern const char *const variables_minimal[];
