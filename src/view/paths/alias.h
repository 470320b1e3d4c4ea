// Other names of what a mount keeps from the box: a mount covers one.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct mount;
struct plan;
struct wishes;

// Devices whose names have been found to be what the kernel takes them for.
struct aliases {
	dev_t sound[16];
	unsigned count;
};

// Whether it is the kernel that compares names on the file system of a path: a listing shows all
// that can be found.
bool alias_kernel_compares(const char *path);

// The kernel's own file systems know when another spelling is the same name; those of a server (9p
// of WSL, virtiofs of a Mac, cifs, FUSE) do not say it. -1 with the error said when such a one
// finds `mount`, which lies on the host below `above`, by another spelling.
int alias_refuse(struct aliases *aliases, const struct plan *plan, const struct mount *mount,
		 const struct mount *above);

// Warns of a file that has hard links.
void alias_tell(struct plan *plan, const struct mount *mount, const struct mount *above);

// One directory by two names: a wall at one of them would be none. -1 with the error said.
int alias_refuse_routes(const struct wishes *wishes);
