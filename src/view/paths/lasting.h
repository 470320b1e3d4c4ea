// In a session: what would be written to the host, or thrown away, goes to its layers.
#pragma once

struct mount;
struct wishes;

// Makes the wish for a writable directory one for layers over it (source NULL: over nothing), and
// gives the session a root for it. A single file cannot be: -1.
int lasting_mount(struct wishes *wishes, struct mount *mount);
