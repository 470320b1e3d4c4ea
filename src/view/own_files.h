// Files that are the box's own, whatever the profile says.
#pragma once

struct wishes;

int own_hosts(struct wishes *wishes);
// For zsh, which without one begins with questions: where the home is private.
int own_zshrc(struct wishes *wishes);
// Where there is code.
int own_snippet(struct wishes *wishes);
