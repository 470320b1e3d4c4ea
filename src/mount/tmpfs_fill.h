// A tmpfs over a small directory of the host that begins with its files: a tool makes them anew,
// and what it makes in a box is thrown away.
#pragma once

struct mount;
struct plan;

// Box side: copies the regular files of mount->source, which is as the plan saw it, into a mount
// that is not attached yet. What is hidden is left out, and what is large, or cannot be read, and
// all that is more than FILL_FILES_MAX.
enum { FILL_FILES_MAX = 64, FILL_BYTES_MAX = 65536 };
int fill_child(const struct plan *plan, const struct mount *mount, int tree);
