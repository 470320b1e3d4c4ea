// Resource limits of the processes in the box.
#pragma once

#include <sys/resource.h>

struct plan;
struct run;

// Raises sbx's own limit of descriptors. Of those that are being passed by sockets the kernel
// counts all of a user's, and allows a sender as many as its limit.
int rlimits_host(const struct plan *plan, struct run *run);
int rlimits_child(const struct plan *plan, struct run *run);

// The command's own limit of descriptors.
struct rlimit rlimits_files(const struct plan *plan, const struct run *run);
