// Where a mount is put: in a directory of our own tmpfs, of the host, or of a session's layers.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct identity;
struct mount;
struct plan;
struct run;

// "/a/b" relative to the new root.
const char *target_inside(const char *target);

bool target_is_same(int fd, const struct identity *identity);

// The descriptor of the last mount at this very path, which `run` owns; -1: none, or none is kept.
int target_mount(const struct plan *plan, const struct run *run, const char *path);

// O_PATH, nothing followed, a directory of the host compared with what the plan saw.
int target_open(const struct plan *plan, struct run *run, unsigned index);

// Makes the file or directory to mount on, but for one of the host.
int target_make(struct run *run, const struct mount *mount, mode_t type);

// Makes MOUNT_LINK. In a session's layer one that leads elsewhere is replaced.
int target_link(struct run *run, const struct mount *mount);

// Moves a detached mount to its target and keeps it in run->mounts.
int target_attach(const struct plan *plan, struct run *run, unsigned index, int tree);
