// One component of a path, compared as file systems that fold case compare it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { COMPONENT_MAX = 256 };

// Writes the component that begins at `path` in the form in which folding file systems compare it:
// letters small, what they skip left out. False when it is too long to be one.
bool component_fold(const char *path, char ret_folded[COMPONENT_MAX]);

// Whether a folded component is what `name` says up to its slash or end: `*` any characters, `?`
// one.
bool component_matches(const char *folded, const char *name);

// FNV-1a over a name up to its slash or end, in whatever case. False: it has bytes that are no
// ASCII, which other letters fold to.
bool component_hash(const char *name, uint32_t *ret_hash);

// Whether there is a file system for which the component that begins at `path` is ".git": one that
// folds case, one that skips characters, or one of Windows.
bool component_is_git(const char *path);
// The same for ".gitmodules".
bool component_is_modules(const char *path);
