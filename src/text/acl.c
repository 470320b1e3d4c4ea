// Owns the forms of access control lists.
#include "text/acl.h"

static const unsigned char *entry_of(const struct acl *acl, enum acl_tag tag)
{
	for (size_t at = ACL_HEAD; at + ACL_ENTRY <= acl->size; at += ACL_ENTRY)
		if (acl->bytes[at] == tag && acl->bytes[at + 1] == 0)
			return &acl->bytes[at];
	return NULL;
}

unsigned char *acl_find(struct acl *acl, enum acl_tag tag)
{
	const unsigned char *entry = entry_of(acl, tag);
	return entry ? &acl->bytes[entry - acl->bytes + 2] : NULL;
}

void acl_narrow(struct acl *acl, enum acl_tag tag, unsigned bits)
{
	unsigned char *entry = acl_find(acl, tag);
	if (entry)
		*entry = (unsigned char)(*entry & bits & 7);
}

static mode_t bits_of(const struct acl *acl, enum acl_tag tag)
{
	const unsigned char *entry = entry_of(acl, tag);
	return entry ? entry[2] & 7U : 0;
}

// Who was named is then one of the group or one of all: these get no more than he had.
mode_t acl_mode_without(const struct acl *acl, mode_t mode)
{
	if (acl->unknown)
		return mode & ~(mode_t)077;
	mode_t mask = entry_of(acl, ACL_MASK) ? bits_of(acl, ACL_MASK) : 7;
	mode_t group = mode >> 3 & bits_of(acl, ACL_GROUP_OWNER) & 7, other = mode & 7;
	for (size_t at = ACL_HEAD; at + ACL_ENTRY <= acl->size; at += ACL_ENTRY) {
		mode_t bits = acl->bytes[at + 2] & mask;
		group &= acl->bytes[at] == ACL_USER ? bits : 7;
		other &= acl->bytes[at] == ACL_USER || acl->bytes[at] == ACL_GROUP ? bits : 7;
	}
	return (mode & ~(mode_t)077) | group << 3 | other;
}
