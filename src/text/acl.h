// Access control lists (acl(5)): the kernel's form, and the text that stands in archives. Pure; the
// text is hostile.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct out;

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

// The mode with the bits that the ACL gives it: its mask stands for the group's.
mode_t acl_mode(const struct acl *acl, mode_t mode);

// Nobody may more than the owner.
void acl_limit(struct acl *acl);

// Whether there is more in it than a mode says.
bool acl_is_more(const struct acl *acl);

// "user::rw-,user:1000:r--,..." on one line.
void acl_put(struct out *out, const struct acl *acl);

// Entries between commas or on lines; behind the permissions can stand the number
// ("user:lisa:r--:1000"). `find` knows the number of a user's or a group's name. False: damaged,
// without a part that must be there, too large, or with a name that nobody knows.
bool acl_read(const char *text, bool (*find)(enum acl_tag tag, const char *name, uint32_t *ret_id),
	      struct acl *ret_acl);
