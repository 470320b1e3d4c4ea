// A run in a session: its layers found, its mounts shared, its record kept.
#pragma once

struct plan;
struct run;

// Reads the session into plan->session, which is then locked: nothing freezes or applies it, and
// nobody else mounts it before attach_ready(). -1: no such session, or its project is gone.
int attach_plan(struct plan *plan, const char *state, const char *name);

// Takes the mounts of a run that is there; makes directories and the record; lets the next one in
// when the box stands; forgets the run.
int attach_host(const struct plan *plan, struct run *run);
int attach_layers_host(const struct plan *plan, struct run *run);
void attach_ready(const struct plan *plan);
int attach_undo(const struct plan *plan, struct run *run);

// Of a run that does not take place.
void attach_release(const struct plan *plan);

// Of a run that starts elsewhere than in the current directory, which is not in the session's
// project.
void attach_tell_place(struct plan *plan);
