// What exists in the box: the profile's paths -> the list of mounts, parents first.
//
// The room view owns the order of all mounts of a box. Uses: base mount nouns text view/paths
// view/protect view/hidden. Begin with gather.c.
#pragma once

#include <stdbool.h>

struct item;
struct plan;
struct wishes;

// Fills plan->mounts. Opens nothing for writing.
int view_plan(struct plan *plan, char *const *environment);

// Reads the file system; opens only git's pointers.
int gather_wishes(struct wishes *wishes);

// Devices and terminals of the command. By the inherited descriptor a box could change the host
// node's mode, owner and times: it opens the node again, read-only.

// Returns true for a directory. Notes a device.
bool nodes_note(struct plan *plan, int fd);
int nodes_plan(struct wishes *wishes);

int own_hosts(struct wishes *wishes);
// For a strict limit: programs that size themselves by the machine's memory would be killed. In a
// nested box the mount would prevent a new /proc.
int own_meminfo(struct wishes *wishes);
// For a private home: zsh without a .zshrc begins with questions.
int own_zshrc(struct wishes *wishes);
int own_snippet(struct wishes *wishes);

// With secrets: the host's certificates and the opener's.
int roots_plan(struct wishes *wishes);

// A box as root gets sudo rules in place of the host's, which only root may read.
int sudo_plan(struct wishes *wishes);

// Copies of other users' files, which have an unknown owner in the box.
int owners_plan(struct wishes *wishes);

// Files that a shown ~/.ssh/config includes from the home (ssh_config(5), Include). Skips others.
int own_includes(struct wishes *wishes, const struct item *item);
