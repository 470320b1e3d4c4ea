// Files of the project that its settings name in commands which start by themselves: an agent's
// hooks and servers, git hooks, .envrc. The settings are protected; such a file is the project's
// own, and told when a run changed it.
#pragma once

struct check;

// Adds those that this run changed to check->changed. The settings are read as text, whatever their
// language.
void commands_tell(const struct check *check);
