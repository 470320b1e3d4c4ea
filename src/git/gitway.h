// Where git goes: addresses and remotes. Pure.
#pragma once

#include <stdbool.h>

struct arena;
struct gitconfig;

// The first address of a remote, or NULL.
const char *gitway_url(struct arena *arena, const struct gitconfig *config, const char *remote);
// The remote of a branch without settings: the only one, else "origin". "": it leads nowhere.
const char *gitway_default(struct arena *arena, const struct gitconfig *config);
// The host of an address; a path as it is.
const char *gitway_host(struct arena *arena, const char *address);
bool gitway_is_far(const char *address); // https or ssh
// A remote's name that is no address: nobody who gives one to git is sent elsewhere.
bool gitway_is_name(const char *name);
// The part of a name between the first dot and the last, or "".
const char *gitway_middle(struct arena *arena, const char *name);
// Whether an address may be that of a new remote or submodule: by https, ssh or git; by http and as
// a path in a repository that was made in the run, and as a submodule's path.
bool gitway_may_lead(const char *name, const char *value, bool made);
