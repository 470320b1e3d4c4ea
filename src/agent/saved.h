// The copies of an agent's settings: as they were before sbx changed them, and as sbx wrote them.
// They make an exact removal possible.
#pragma once

struct arena;
struct settings;

// A whole regular file of at most JSON_BYTES_MAX; NULL when there is none.
int saved_read(struct arena *arena, const char *path, const char **ret_text, unsigned *ret_mode);

// Sets known, unchanged, before and saved. `named` is the value of the agent's own variable for its
// directory, or NULL.
int saved_find(struct settings *settings, const char *named);

// The path of the copy `which` ("before", "written").
const char *saved_path(const struct settings *settings, const char *which);

// Call before a text is written: stores it, and what is there now.
int saved_store(struct settings *settings, const char *text);

// Call after a removal.
void saved_remove(const struct settings *settings);
