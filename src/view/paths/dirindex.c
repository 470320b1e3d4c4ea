// Owns the set of a directory's names: a bit for each, by a hash; two with one bit cost a look, no
// more.
#include "view/paths/wishes.h"

#include <fcntl.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "names/trusted.h"
#include "text/words.h"

enum { BYTES = 8192, BYTES_MAX = 1 << 20, WORD_BITS = 64 };

static bool add_name(struct names *names, const char *name)
{
	uint32_t hash;
	if (!component_hash(name, &hash))
		return false;
	hash %= NAMES_WORDS * WORD_BITS;
	names->bits[hash / WORD_BITS] |= 1ULL << (hash % WORD_BITS);
	return true;
}

static void find_name(struct names_found *found, const struct sys_entry *entry)
{
	const char *name = entry->name;
	if (!str_equal(name, ".") && !str_equal(name, "..") &&
	    (found->every || trusted_may_begin(name)))
		list_add(&found->list, found->arena, arena_copy(found->arena, name, strlen(name)),
			 (struct origin){ .line = entry->type, .order = (unsigned)entry->inode });
}

static bool add_all(struct names *names, const char *entries, long size, struct names_found *found)
{
	bool good = true;
	for (long at = 0; at < size;) {
		const struct sys_entry *entry = (const void *)(entries + at);
		good = add_name(names, entry->name) && good;
		if (found)
			find_name(found, entry);
		at += entry->size;
	}
	return good;
}

void names_read(struct names *names, const char *directory, struct names_found *found)
{
	_Alignas(struct sys_entry) char entries[BYTES] __attribute__((uninitialized));
	long size = -1, bytes = 0, most = found ? BYTES_MAX : BYTES;
	bool good = true;
	*names = (struct names){ 0 };
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	while (fd >= 0 && bytes < most && (size = sys_getdents(fd, entries, sizeof(entries))) > 0) {
		good = add_all(names, entries, size, found) && good;
		bytes += size;
	}
	if (fd >= 0 && bytes >= most)
		size = sys_getdents(fd, entries, sizeof(entries));
	if (found)
		found->cut = size != 0;
	if (good && size == 0 && bytes <= BYTES) // the end: that was all
		names->directory = directory;
}

bool names_lack(const struct names *names, const char *path)
{
	size_t length = names->directory ? strlen(names->directory) : 0;
	uint32_t hash;
	if (length == 0 || strncmp(path, names->directory, length) != 0 || path[length] != '/' ||
	    !component_hash(path + length + 1, &hash))
		return false;
	hash %= NAMES_WORDS * WORD_BITS;
	return !(names->bits[hash / WORD_BITS] >> (hash % WORD_BITS) & 1);
}
