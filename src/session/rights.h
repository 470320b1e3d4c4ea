// Groups and ACLs (acl(5)) of what an apply puts, as the host's own tools would leave them.
#pragma once

#include <sys/types.h>

struct store;

// Forks a process with the caller's own ids: in a user namespace with one id nobody can name
// others. To be called before owned_override(); ends with its caller. For root nothing is needed.
int rights_begin(struct store *store);

// A file that takes the place of the host's: its group and its ACL, with the mode that it has.
int rights_keep(const struct store *store, int file, int host);

// Whether there is anything of that to do for the file of that name.
int rights_differ(int directory, const char *name, int host);

// What is new in a directory of the host, or in a new one there: the directory's group where that
// is set-group-id, and its default ACL.
int rights_inherit(const struct store *store, int made, int parent);

// Whether anything is inherited from an open directory.
int rights_are_given(int parent);

// The mode of a file or directory of a session, for a copy without its ACL: of the group's bits,
// which are the ACL's mask (acl(5)), only what the group itself has.
mode_t rights_without_acl(int directory, const char *name, mode_t mode);
