// The overlays of a session: the layer that is written on top of the frozen ones.
#pragma once

struct plan;
struct run;

// Keeps the way to our own descriptors, while the host's /proc is in sight.
int layers_child_begin(struct run *run);

// Mounts a MOUNT_LAYERS: the very mount of another command of the session, or a new one.
int layers_child(const struct plan *plan, struct run *run, unsigned index);
