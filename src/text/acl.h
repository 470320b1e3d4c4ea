// Access control lists (acl(5)) in the kernel's form. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { ACL_MAX = 8192, ACL_HEAD = 4, ACL_ENTRY = 8 };
// linux/posix_acl.h
enum acl_tag {
	ACL_OWNER = 1,
	ACL_USER = 2,
	ACL_GROUP_OWNER = 4,
	ACL_GROUP = 8,
	ACL_MASK = 16,
	ACL_OTHER = 32
};

// Size 0: there is none. One that cannot be read, or is too large, is `unknown`: it is never set,
// and counts as one that gives nobody but the owner anything.
struct acl {
	size_t size;
	bool unknown;
	unsigned char bytes[ACL_MAX];
};

// The permissions of the first entry of that kind, or NULL.
unsigned char *acl_find(struct acl *acl, enum acl_tag tag);

// Takes the permissions that are not in `bits` from that entry, where there is one.
void acl_narrow(struct acl *acl, enum acl_tag tag, unsigned bits);

// A mode for a file that loses its ACL: nobody may more than before.
mode_t acl_mode_without(const struct acl *acl, mode_t mode);
