// Paths with '*' for a version or another name, outside of the project.
#pragma once

struct wishes;

// Files of settings that may hold a token, to be shown without it; ends with NULL.
extern const char *const settings_with_secrets[];
// Files of settings that say where packages come from. They come along, with nothing else of what
// they say: without them a tool asks a public registry for a name that is another's.
extern const char *const settings_of_registries[];

// Calls `found` for each path that a pattern stands for now: "/..." or "~/...", with '*' in any of
// its names. Links are followed. What is more than can be looked at is a warning of the plan.
int starred_walk(struct wishes *wishes, const char *pattern,
		 int (*found)(struct wishes *wishes, const char *path));
