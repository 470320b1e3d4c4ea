// Which directory is the project, and which never is.
#pragma once

struct plan;

// Fills plan->project (NULL when the profile wants none). Refuses the root, the home directory,
// system and shared directories, and anything that holds or lies in sbx's own files. Rule 11.
int project_plan(struct plan *plan);

// The git toplevel or the current directory; NULL when that is refused. Says nothing.
const char *project_find(const struct plan *plan);

// --project-dir: this directory is the project, even when it is the home (container images), where
// sbx's own directories, by these names, can be mounted over.
int project_give(struct plan *plan, const char *directory, char *const *environment,
		 const char *config, const char *state);

// Why a path must not be writable in a box, or NULL. Also for --write and caches. Rule 12.
const char *project_refusal(const struct plan *plan, const char *path);
