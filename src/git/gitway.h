// Where git goes: addresses, and the remotes of branches. Pure.
#pragma once

#include <stdbool.h>

struct arena;
struct gitconfig;

// "remote.", "origin", ".url": the next value after `number` others, or NULL.
const char *gitway_part(const struct gitconfig *config, const char *kind, const char *middle,
			const char *part, unsigned number);
// The remote of a branch without settings: the only one, else "origin". NULL: it leads nowhere.
const char *gitway_default(struct arena *arena, const struct gitconfig *config);
// The remote by which git pulls, or pushes, a branch; "" is one without settings.
const char *gitway_remote(const struct gitconfig *config, const char *branch, bool push,
			  const char *otherwise);
// Whether git goes to the same hosts and paths by both remotes. True where the first leads nowhere.
bool gitway_same(const struct gitconfig *before, const char *was, const struct gitconfig *after,
		 const char *is, bool push);
// The host of an address; a path as it is.
const char *gitway_host(struct arena *arena, const char *address);
bool gitway_is_far(const char *address); // https or ssh
// A remote's name that is no address: nobody who gives one to git is sent elsewhere.
bool gitway_is_name(const char *name);
// The part of a name between the first dot and the last.
const char *gitway_middle(struct arena *arena, const char *name);
// One of a remote or a submodule that is new, or leads to the same host and path as before. By
// https, ssh or git; by http and as a path where the remote had one, also in a repository that was
// made, and as a submodule's path.
bool gitway_may_lead(struct arena *arena, const struct gitconfig *before, const char *name,
		     const char *value, bool made);
