// Files of the project that its settings name in commands which start by themselves: an agent's
// hooks and servers, git hooks, .envrc, git's configuration, what an install runs; and those that
// the caller's environment names. Such a file is
// the project's own, and reported when a run changed it.
#pragma once

struct check;
struct plan;

// Notes in the plan the files that settings and the caller's variables name, and their state before
// the box begins.
void commands_plan(struct plan *plan, char *const *environment);

// Adds those that this run changed to the findings.
void commands_tell(const struct check *check);

// The same names below a worktree or submodule of the project's, which obeys the same settings:
// `directory` is its top, at `path`.
void commands_tell_below(const struct check *check, int directory, const char *path);
