// The room view owns the view: the profile's paths become a list of all mounts of a box, parents
// first. Uses: base, mount, nouns, text, view/paths, view/protect, view/hidden. Begin with
// gather.c.
#pragma once

#include <stdbool.h>

struct item;
struct plan;
struct wishes;

// Fills plan->mounts. Changes nothing in the user's trees.
int view_plan(struct plan *plan, char *const *environment);

// Fills the wishes from the file system.
int gather_wishes(struct wishes *wishes);

// Devices and terminals that the command inherits. By the descriptor a box could change the host
// node's mode, owner and times: it opens the node again at a read-only mount.

// Notes a device. Returns true for a directory.
bool nodes_note(struct plan *plan, int fd);
int nodes_plan(struct wishes *wishes);

int own_hosts(struct wishes *wishes);
// With a strict memory limit, shows a /proc/meminfo of that size: programs that size themselves by
// the machine's memory would be killed. Not in a nested box, where the mount would prevent a new
// /proc.
int own_meminfo(struct wishes *wishes);
// In a private home, adds an empty .zshrc: zsh without one begins with questions.
int own_zshrc(struct wishes *wishes);
int own_snippet(struct wishes *wishes);

// With secrets, shows the host's root certificates and the opener's.
int roots_plan(struct wishes *wishes);

// Gives a box as root sudo rules in place of the host's, which only root may read.
int sudo_plan(struct wishes *wishes);

// Shows copies of root's ssh_config.d files, which would have an unknown owner.
int owners_plan(struct wishes *wishes);

// Shows files of the home that a visible ~/.ssh/config includes (ssh_config(5), Include).
int own_includes(struct wishes *wishes, const struct item *item);
