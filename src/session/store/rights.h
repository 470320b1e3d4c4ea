// Groups and ACLs (acl(5)) of what an apply puts, as the host's own tools would leave them.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct store;

// Forks a process with the caller's own ids: in a user namespace with one id nobody can name
// others. To be called before owned_override(); ends with its caller. For root nothing is needed.
int rights_begin(struct store *store);

// A file that takes the place of the host's: its group and its ACL, with the mode that it has;
// `mode` where the host's has an ACL, of which the group's bits are the mask.
int rights_keep(const struct store *store, int file, int host, mode_t mode);

// Whether there is anything of that to do for the file of that name.
bool rights_differ(int directory, const char *name, int host);

// What is new in a directory of the host, or in a new one there: the directory's group where that
// is set-group-id, and its default ACL.
int rights_inherit(const struct store *store, int made, int parent);

// What new things inherit from an open directory: nothing, its group, or its default ACL, which
// stands in for the umask.
enum rights_given { RIGHTS_NONE, RIGHTS_GROUP, RIGHTS_ACL };
enum rights_given rights_given(int parent);

// A copy of an open file or directory: group, ACLs and mode of that, as cp -a leaves them; the
// owner's bits are those that the copy has.
int rights_copy(const struct store *store, int made, int from);

// A directory that gives nothing to what is made in it.
int rights_drop_given(int fd);

// The mode of an open file or directory, for a copy without its ACL: its owner alone may use it.
mode_t rights_without_acl(int fd, mode_t mode);
