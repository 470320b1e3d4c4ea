// Whether an agent runs a hook: its own record of which hooks its user trusts. Pure: reads memory
// only.
#pragma once

#include <stddef.h>

struct arena;

enum hook_trust {
	HOOK_UNTRUSTED, // not yet, or not any more
	HOOK_TRUSTED,
	HOOK_OFF, // hooks, or this one, are switched off
};

// `text` is Codex CLI's config.toml; `file` names its hooks, `entry` and `hook` count from 0 where
// ours stands in it. A record in a spelling that Codex itself does not write counts as none. What a
// record says of a changed hook only Codex can tell: it keeps a hash.
enum hook_trust trust_of(struct arena *arena, const char *text, const char *file, unsigned entry,
			 unsigned hook);
