// What exists in the box: the profile's paths -> the list of mounts, parents first.
//
// The room view owns the order of all mounts of a box. Uses: base mount nouns text
// view/paths view/protect view/secrets. Begin with gather.c.
#pragma once

#include <stdbool.h>

struct item;
struct plan;
struct wishes;

// Fills plan->mounts. Reads the host's file system, opens nothing for writing.
int view_plan(struct plan *plan, char *const *environment);

// Fills the list of wishes.

// Reads the host's file system, opens nothing but git's own pointers.
int gather_wishes(struct wishes *wishes);

// Devices and terminals that are handed over: mode, owner and times of the host's node could be
// changed by such a descriptor. So the box opens the node again at a mount that is read-only.

// Whether the descriptor is a directory. A device is noted.
bool nodes_note(struct plan *plan, int fd);
// After the fixed devices: says where the box has the node of each.
int nodes_plan(struct wishes *wishes);

// Files that are the box's own, whatever the profile says.

int own_hosts(struct wishes *wishes);
// Of a strict limit: programs that size themselves by the machine's memory would be killed. In a
// nested box a file over /proc keeps the kernel from mounting another.
int own_meminfo(struct wishes *wishes);
// For zsh, which without one begins with questions: where the home is private.
int own_zshrc(struct wishes *wishes);
// Where there is code.
int own_snippet(struct wishes *wishes);

// Of a run with secrets: the host's roots and the authority of this box, in the place of the
// host's.
int roots_plan(struct wishes *wishes);

// Rules by which the host's own sudo runs what it is asked for, in place of the host's, which only
// root may read. Nothing where the host has none, or the box is not as root.
int sudo_plan(struct wishes *wishes);

// In the box such a file belongs to nobody that it knows. What the box sees of these is shown as a
// copy that belongs to the caller.
int owners_plan(struct wishes *wishes);

// Of a line that shows ~/.ssh/config: the files of the home that it includes come along, by any
// name (ssh_config(5), Include). Others are skipped, as those that are not there.
int own_includes(struct wishes *wishes, const struct item *item);
