// Owns the forms of access control lists.
#include "text/acl.h"

#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "base/str.h"

enum { ACL_VERSION = 2, NAME_BYTES_MAX = 64 };

static const struct {
	enum acl_tag tag, named;
	const char *word;
} kinds[] = {
	{ ACL_OWNER, ACL_USER, "user" },
	{ ACL_GROUP_OWNER, ACL_GROUP, "group" },
	{ ACL_MASK, 0, "mask" },
	{ ACL_OTHER, 0, "other" },
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

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

mode_t acl_mode(const struct acl *acl, mode_t mode)
{
	enum acl_tag group = entry_of(acl, ACL_MASK) ? ACL_MASK : ACL_GROUP_OWNER;
	return (mode & ~(mode_t)0777) | bits_of(acl, ACL_OWNER) << 6 | bits_of(acl, group) << 3 |
	       bits_of(acl, ACL_OTHER);
}

void acl_limit(struct acl *acl)
{
	unsigned owner = bits_of(acl, ACL_OWNER);
	enum acl_tag group = entry_of(acl, ACL_MASK) ? ACL_MASK : ACL_GROUP_OWNER;
	acl_narrow(acl, group, owner);
	acl_narrow(acl, ACL_OTHER, owner);
}

bool acl_is_more(const struct acl *acl)
{
	return entry_of(acl, ACL_MASK) || entry_of(acl, ACL_USER) || entry_of(acl, ACL_GROUP);
}

static uint32_t id_of(const unsigned char *entry)
{
	return (uint32_t)entry[4] | (uint32_t)entry[5] << 8 | (uint32_t)entry[6] << 16 |
	       (uint32_t)entry[7] << 24;
}

static void put_entry(struct out *out, const unsigned char *entry)
{
	unsigned tag = entry[0], kind = 0;
	while (kind < KINDS && kinds[kind].tag != tag && kinds[kind].named != tag)
		kind++;
	if (kind == KINDS)
		return;
	out_text(out, "%s%s:", out->used ? "," : "", kinds[kind].word);
	if (kinds[kind].named == tag)
		out_text(out, "%u", (unsigned)id_of(entry));
	out_text(out, ":%c%c%c", entry[2] & 4 ? 'r' : '-', entry[2] & 2 ? 'w' : '-',
		 entry[2] & 1 ? 'x' : '-');
}

void acl_put(struct out *out, const struct acl *acl)
{
	for (size_t at = ACL_HEAD; at + ACL_ENTRY <= acl->size; at += ACL_ENTRY)
		put_entry(out, &acl->bytes[at]);
}

// One of the parts between colons; *text then stands behind it.
static size_t take_part(const char **text, size_t *length, const char **ret_part)
{
	const char *colon = memchr(*text, ':', *length);
	size_t part = colon ? (size_t)(colon - *text) : *length;
	*ret_part = *text;
	*text += part + (colon != NULL);
	*length -= part + (colon != NULL);
	return part;
}

static bool read_bits(const char *text, size_t length, unsigned char *ret_bits)
{
	unsigned char bits = 0;
	if (length != 3)
		return false;
	for (int i = 0; i < 3; i++) {
		if (text[i] != "rwx"[i] && text[i] != '-')
			return false;
		bits = (unsigned char)(bits << 1 | (text[i] != '-'));
	}
	*ret_bits = bits;
	return true;
}

static bool read_number(const char *text, size_t length, uint32_t *ret_id)
{
	unsigned long long number;
	if (length == 0 || !str_number(text, length, 0, UINT32_MAX - 1, &number))
		return false;
	*ret_id = (uint32_t)number;
	return true;
}

struct acl_named {
	const char *text, *number;
	size_t length, digits;
};

// By its name where there is one here, as tar does for owners, else by its number.
static bool read_id(enum acl_tag tag, const struct acl_named *named,
		    bool (*find)(enum acl_tag tag, const char *name, uint32_t *ret_id),
		    uint32_t *ret_id)
{
	char name[NAME_BYTES_MAX];
	if (read_number(named->text, named->length, ret_id))
		return true;
	if (named->length < sizeof(name)) {
		memcpy(name, named->text, named->length);
		name[named->length] = '\0';
		if (find(tag, name, ret_id))
			return true;
	}
	return read_number(named->number, named->digits, ret_id);
}

static bool read_entry(const char *text, size_t length,
		       bool (*find)(enum acl_tag tag, const char *name, uint32_t *ret_id),
		       unsigned char entry[ACL_ENTRY])
{
	const char *word, *bits;
	struct acl_named named;
	uint32_t id = UINT32_MAX;
	unsigned kind = 0;
	size_t word_length = take_part(&text, &length, &word);
	while (kind < KINDS && (strlen(kinds[kind].word) != word_length ||
				memcmp(kinds[kind].word, word, word_length) != 0))
		kind++;
	named.length = take_part(&text, &length, &named.text);
	size_t bits_length = take_part(&text, &length, &bits);
	named.digits = take_part(&text, &length, &named.number);
	if (kind == KINDS || length > 0 || !read_bits(bits, bits_length, &entry[2]))
		return false;
	enum acl_tag tag = named.length > 0 ? kinds[kind].named : kinds[kind].tag;
	if (tag == 0 || (named.length > 0 && !read_id(tag, &named, find, &id)))
		return false;
	entry[0] = (unsigned char)tag;
	entry[1] = entry[3] = 0;
	for (int i = 0; i < 4; i++)
		entry[4 + i] = (unsigned char)(id >> 8 * i);
	return true;
}

// In the order that the kernel wants: of kinds, and of numbers in each.
static int compare(const void *left, const void *right)
{
	const unsigned char *a = left, *b = right;
	if (a[0] != b[0])
		return a[0] - b[0];
	return id_of(a) < id_of(b) ? -1 : id_of(a) > id_of(b);
}

// The three that a mode has, and a mask where somebody is named; nobody twice.
static bool is_whole(const struct acl *acl)
{
	for (size_t at = ACL_HEAD + ACL_ENTRY; at < acl->size; at += ACL_ENTRY)
		if (compare(&acl->bytes[at - ACL_ENTRY], &acl->bytes[at]) == 0)
			return false;
	bool named = entry_of(acl, ACL_USER) || entry_of(acl, ACL_GROUP);
	return entry_of(acl, ACL_OWNER) && entry_of(acl, ACL_GROUP_OWNER) &&
	       entry_of(acl, ACL_OTHER) && (!named || entry_of(acl, ACL_MASK));
}

bool acl_read(const char *text, bool (*find)(enum acl_tag tag, const char *name, uint32_t *ret_id),
	      struct acl *ret_acl)
{
	struct acl *acl = ret_acl;
	*acl = (struct acl){ .size = ACL_HEAD, .bytes = { ACL_VERSION } };
	while (*text) {
		size_t length = strcspn(text, ",\n"), used = strcspn(text, ",\n#");
		const char *next = text + length + (text[length] != '\0');
		while (used > 0 && strchr(" \t", text[used - 1]))
			used--;
		if (used > 0) {
			if (acl->size + ACL_ENTRY > ACL_MAX ||
			    !read_entry(text, used, find, &acl->bytes[acl->size]))
				return false;
			acl->size += ACL_ENTRY;
		}
		text = next;
	}
	qsort(acl->bytes + ACL_HEAD, (acl->size - ACL_HEAD) / ACL_ENTRY, ACL_ENTRY, compare);
	return is_whole(acl);
}
