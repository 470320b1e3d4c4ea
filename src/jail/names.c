// Owns the set of a directory's names: a bit for each, by a hash; two with one bit cost a look, no
// more.
#include "jail/names.h"

#include <fcntl.h>
#include <string.h>

#include "base/fd.h"
#include "base/sys.h"

enum { BYTES_MOST = 8192, WORD_BITS = 64 };

// FNV-1a over a name up to its slash or end. -1: it has bytes that are no ASCII, which other
// letters fold to.
static int bit_of(const char *name)
{
	uint32_t hash = 2166136261U;
	for (; *name && *name != '/'; name++) {
		if ((unsigned char)*name >= 0x80)
			return -1;
		hash = (hash ^ ((unsigned char)*name | 0x20U)) * 16777619U;
	}
	return (int)((hash ^ (hash >> 16)) % (NAMES_WORDS * WORD_BITS));
}

static bool add_all(struct names *names, const char *entries, long size)
{
	for (long at = 0; at < size;) {
		const struct sys_entry *entry = (const void *)(entries + at);
		int bit = bit_of(entry->name);
		if (bit < 0)
			return false;
		names->bits[bit / WORD_BITS] |= 1ULL << (bit % WORD_BITS);
		at += entry->size;
	}
	return true;
}

void names_read(struct names *names, const char *directory)
{
	_Alignas(struct sys_entry) char entries[BYTES_MOST] __attribute__((uninitialized));
	long size = 0;
	*names = (struct names){ 0 };
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool good = fd >= 0 && (size = sys_getdents(fd, entries, sizeof(entries))) > 0 &&
		    add_all(names, entries, size);
	if (good && sys_getdents(fd, entries, sizeof(entries)) == 0) // the end: that was all
		names->directory = directory;
}

bool names_lack(const struct names *names, const char *path)
{
	size_t length = names->directory ? strlen(names->directory) : 0;
	if (length == 0 || strncmp(path, names->directory, length) != 0 || path[length] != '/')
		return false;
	int bit = bit_of(path + length + 1);
	return bit >= 0 && !(names->bits[bit / WORD_BITS] >> (bit % WORD_BITS) & 1);
}
