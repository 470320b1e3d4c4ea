// Directories of sbx's state: below ~/.local/state/sbx, made when they are needed. Rule 20.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;

// Makes what is missing of an absolute path, each 0700, and opens the last (O_RDONLY), checked to
// be the caller's own and writable by nobody else. -1 with the error said.
int owned_directory(const char *path);

// The state directory itself: what is in it says whom the caller trusts. -1 with the error said
// when it is there and not the caller's alone.
int owned_check(const char *state);

// Writes a whole file of the caller's by a rename: the old text or the new, never a part, also when
// others write it at the same time. A link there is replaced. `mode` is that of a file that is not
// there yet; another keeps its own. -1 with the error said.
int owned_replace(int directory, const char *name, const char *text, unsigned mode);
// The same of a file of sbx's state, whose directory is made. Nothing is reported: what it says is
// found again. `durable`: after a power loss, too; the disk is waited for.
bool owned_keep(const char *file, const char *text, bool durable);

// A name that no other process has, on this machine or another one: `prefix` and 16 hexadecimal
// digits. A pid is none: other pid namespaces have the same. -1 with the error said.
enum { OWNED_FRESH = 64 };
int owned_fresh(char name[OWNED_FRESH], const char *prefix);

// Where the links at the end of a path lead, to a file that is there or not.
int owned_follow(struct arena *arena, const char *path, const char **ret_path);

// From here on this process may read all files of the caller's and search all directories, or
// change them as well, whatever their mode: a box closes some. By a user namespace with
// CAP_DAC_READ_SEARCH, or CAP_DAC_OVERRIDE too, alone (user_namespaces(7)); what it executes has no
// more than before. Where there are no such namespaces nothing changes. -1 with the error said:
// half of it was done.
enum rights_over { OVER_READING, OVER_ALL };
int owned_override(enum rights_over rights);

// fd_rename_new() by such a process when the caller's own modes forbid it.
// -1 with errno.
int owned_rename(int from, const char *name, int to, const char *fresh);

// Removes a file or a whole tree that may be hostile, of any depth; follows nothing.
int owned_remove_tree(int directory, const char *name);

// Bytes on the disk of all that lies below a directory that may be hostile; follows nothing. What
// cannot be walked, because it is too deep or shut, makes it OWNED_SIZE_UNKNOWN.
#define OWNED_SIZE_UNKNOWN ((uint64_t)1 << 62)
uint64_t owned_size(int directory);
