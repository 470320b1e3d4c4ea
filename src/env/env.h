// The command's environment: built, not inherited.
//
// The room env owns the command's environment. Uses: base git nouns text. Begin with env.c.
#pragma once

struct plan;

// Fills plan->environment and plan->variables from the caller's.
int env_plan(struct plan *plan, char *const *environment);

// A variable of the built environment, or NULL.
const char *env_value(const struct plan *plan, const char *name);

// Why a variable of the caller does not reach the command, or NULL.
const char *env_withheld(const struct plan *plan, const char *name, const char *value);

// Variables whose value is the path of a file that programs read.
struct path_variable {
	const char *name;
	enum path_form {
		PATH_OF_SETTINGS,    // settings, a line each
		PATH_OF_GIT,         // git's configuration
		PATH_OF_ROOTS,       // certificates in PEM; set where the opener's are needed
		PATH_OF_OTHER_ROOTS, // certificates, or directories of them
		PATH_OF_TERMINALS,   // directories of terminfo(5)
		PATH_OF_DIRECTORY,   // a directory of small files
	} form;
};
extern const struct path_variable path_variables[]; // the last one has no name
extern const unsigned path_variable_count;

// Which environment variables look like secrets, open doors or steer loaders. Pure.

// Why a variable is withheld from the command in mode filtered, or NULL when it passes.
const char *variable_withheld(const char *name, const char *value);

// The profile that passes a withheld variable together with what it leads to, or NULL: none does.
const char *variable_profile(const char *name);

// Those with addresses of registries: they pass without the user's part of them.
extern const char *const variables_of_registries[];

// The variables of mode minimal.
extern const char *const variables_minimal[];
