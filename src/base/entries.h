// The entries of a directory but "." and "..", without memory of malloc.
#pragma once

#include <limits.h>

#include "base/str.h"
#include "base/sys.h"

struct entry_stream {
	int fd;
	long size, at, left;
	_Alignas(struct sys_entry) char bytes[4096];
};

// NULL at the end, and where there is no directory.
static inline const struct sys_entry *entries_next(struct entry_stream *entries)
{
	while (entries->left > 0) {
		if (entries->at >= entries->size) {
			entries->at = 0;
			entries->size = entries->fd < 0 ? 0
							: sys_getdents(entries->fd, entries->bytes,
								       sizeof(entries->bytes));
		}
		if (entries->size <= 0)
			return NULL;
		const struct sys_entry *entry = (const void *)(entries->bytes + entries->at);
		entries->at += entry->size;
		if (str_equal(entry->name, ".") || str_equal(entry->name, ".."))
			continue;
		entries->left--;
		return entry;
	}
	return NULL;
}

// `directory` is read from where it is, once; -1 has no entries. The first `most`, or all.
#define entries_some(entry, directory, most)                                                       \
	for (struct entry_stream entries_ = { .fd = (directory), .left = (most) };                 \
	     entries_.fd > -2; entries_.fd = -2)                                                   \
		for (const struct sys_entry *entry; (entry = entries_next(&entries_));)
#define entries_each(entry, directory) entries_some (entry, directory, LONG_MAX)
