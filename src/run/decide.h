// Profile and probe -> plan. Pure but for reading the file system.
#pragma once

struct arena;
struct arguments;
struct invocation;
struct plan;
struct probe;
struct profile;
struct run;

// The home, and the directories of sbx's files, from the caller's environment.
const char *decide_home(struct arena *arena, char *const *environment);
const char *decide_config_directory(struct arena *arena, char *const *environment);
const char *decide_state_directory(struct arena *arena, char *const *environment);

// Who calls, from where: home, sbx's own directories, the project there would be.
void decide_places(struct plan *plan, char *const *environment);

// First half: merges the profiles, takes the flags, and decides what the clone needs to know.
// `plan` and `profile` are zeroed and lie in the arena.
int decide_profile(struct arena *arena, const struct invocation *invocation,
		   const struct arguments *arguments, char *const *environment,
		   struct profile *profile, struct plan *plan);

// Second half: all the rest, by looking at the file system.
int decide_view(struct plan *plan, char *const *environment);

// The second half as a step: the box's pid 1 prepares what needs no plan meanwhile and waits.
int decide_host(struct plan *plan, struct run *run);
int decide_go(struct plan *plan, struct run *run);
int decide_child(const struct plan *plan, struct run *run);
