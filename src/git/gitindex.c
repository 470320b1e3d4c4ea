// Owns the reading of git's index. Hostile input: bounded by its own length, no I/O.
#include "git/gitindex.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/str.h"

enum {
	HEADER = 12,
	STAT = 40,
	MODE = 24,
	PATH_BYTES_MAX = 4096,
	FLAG_EXTENDED = 0x4000,
	ASSUME_VALID = 0x8000,
	SKIP_WORKTREE = 0x40
};

struct index_reader {
	const unsigned char *bytes;
	size_t length, at;
	uint32_t version;
	unsigned hash; // bytes of an object's name
	char path[PATH_BYTES_MAX];
	size_t path_length;
	bool split; // the rest is in another file
};

static uint32_t number(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// Version 4: how many bytes of the path before are dropped, as git's variable-length number.
static bool read_dropped(struct index_reader *reader, size_t *ret_dropped)
{
	size_t value = 0;
	for (unsigned i = 0; i < 5; i++) {
		if (reader->at >= reader->length)
			return false;
		unsigned char byte = reader->bytes[reader->at++];
		value = (i ? (value + 1) << 7 : 0) | (byte & 0x7f);
		if (!(byte & 0x80)) {
			*ret_dropped = value;
			return value <= reader->path_length;
		}
	}
	return false;
}

// One entry; the path is left in the reader.
static bool read_entry(struct index_reader *reader, struct gitindex_entry *ret_entry)
{
	size_t start = reader->at, fixed = STAT + reader->hash + 2, dropped = reader->path_length;
	if (reader->length - start < fixed + 3)
		return false;
	const unsigned char *at = reader->bytes + start;
	unsigned flags = (unsigned)at[fixed - 2] << 8 | at[fixed - 1];
	*ret_entry = (struct gitindex_entry){
		.changed = number(at),
		.seconds = number(at + 8),
		.nanoseconds = number(at + 12),
		.size = number(at + 36),
		.id = at + STAT,
		.id_bytes = reader->hash,
		.stage = flags >> 12 & 3,
		.unchanged = flags & ASSUME_VALID,
		.absent = flags & FLAG_EXTENDED && at[fixed] & SKIP_WORKTREE,
		.link = (at[MODE + 2] >> 4 & 0xf) == 012,
		.directory = (at[MODE + 2] >> 4 & 0xf) != 010 && (at[MODE + 2] >> 4 & 0xf) != 012,
	};
	reader->at += fixed + (flags & FLAG_EXTENDED ? 2 : 0);
	if (reader->version == 4 && !read_dropped(reader, &dropped))
		return false;
	const unsigned char *path = reader->bytes + reader->at;
	const unsigned char *end = memchr(path, '\0', reader->length - reader->at);
	size_t kept = reader->path_length - dropped, more = end ? (size_t)(end - path) : 0;
	if (!end || kept + more >= sizeof(reader->path) || kept + more == 0)
		return false;
	memcpy(reader->path + kept, path, more);
	reader->path_length = kept + more;
	reader->path[reader->path_length] = '\0';
	reader->at += more + 1;
	if (reader->version < 4) // filled with NULs to a multiple of eight
		reader->at = start + ((reader->at - start + 7) & ~(size_t)7);
	return reader->at <= reader->length;
}

static bool is_wanted(const char *path, const char *const *names, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (path_within(path, names[i]))
			return true;
	return false;
}

// After the entries come extensions, and one name of the hash: it tells the two hashes apart.
static bool ends_well(struct index_reader *reader)
{
	size_t at = reader->at;
	while (reader->length - at > reader->hash) {
		if (reader->length - at < 8 + (size_t)reader->hash ||
		    number(reader->bytes + at + 4) > reader->length - at - 8)
			return false;
		reader->split = reader->split || memcmp(reader->bytes + at, "link", 4) == 0;
		at += 8 + (size_t)number(reader->bytes + at + 4);
	}
	return reader->length - at == reader->hash;
}

// Called for each entry, whose path is in the reader. False ends the reading.
struct index_use {
	bool (*entry)(struct index_use *use, const struct index_reader *reader,
		      const struct gitindex_entry *entry);
	struct arena *arena;
	const char *const *names; // of gitindex_find()
	unsigned name_count, count, most;
	uint32_t since;
	struct gitindex_entry *found;
	char *text; // of gitindex_directories(): names behind each other
	size_t used, size, last;
	bool split;
};

static bool find_entry(struct index_use *use, const struct index_reader *reader,
		       const struct gitindex_entry *entry)
{
	if (use->count == GITINDEX_FOUND_MAX ||
	    !is_wanted(reader->path, use->names, use->name_count))
		return true;
	use->found[use->count] = *entry;
	use->found[use->count++].path = arena_copy(use->arena, reader->path, reader->path_length);
	return true;
}

static bool find_hidden(struct index_use *use, const struct index_reader *reader,
			const struct gitindex_entry *entry)
{
	if (use->count == use->most ||
	    (!entry->unchanged && !entry->absent && entry->changed < use->since))
		return true;
	use->found[use->count] = *entry;
	use->found[use->count++].path = arena_copy(use->arena, reader->path, reader->path_length);
	return true;
}

static int read_all(struct index_use *use, struct index_reader *reader)
{
	use->count = 0;
	use->used = use->last = 0;
	for (uint32_t left = number(reader->bytes + 8); left > 0; left--) {
		struct gitindex_entry entry;
		if (!read_entry(reader, &entry) || !use->entry(use, reader, &entry))
			return fail(0, "no index of git's");
	}
	if (!ends_well(reader))
		return fail(0, "no index of git's");
	use->split = reader->split;
	return 0;
}

static int read_index(struct index_use *use, const void *bytes, size_t length)
{
	static const unsigned hashes[] = { 20, 32 }; // SHA-1, SHA-256
	struct index_reader *reader = arena_take(use->arena, sizeof(*reader));
	if (length < HEADER || memcmp(bytes, "DIRC", 4) != 0)
		return fail(0, "no index of git's");
	for (unsigned i = 0; i < 2; i++) {
		*reader = (struct index_reader){ .bytes = bytes, .length = length, .at = HEADER };
		reader->version = number(reader->bytes + 4);
		reader->hash = hashes[i];
		if (reader->version < 2 || reader->version > 4)
			return fail(0, "an index of version %u", (unsigned)reader->version);
		if ((i == 0 ? ATTEMPT(read_all(use, reader)) : read_all(use, reader)) == 0)
			return 0;
	}
	return -1;
}

int gitindex_find(struct arena *arena, const void *bytes, size_t length, const char *const *names,
		  unsigned name_count, const struct gitindex_entry **ret_entries,
		  unsigned *ret_count)
{
	struct index_use use = {
		.entry = find_entry, .arena = arena, .names = names, .name_count = name_count
	};
	use.found = arena_take(arena, GITINDEX_FOUND_MAX * sizeof(*use.found));
	TRY(read_index(&use, bytes, length));
	*ret_entries = use.found;
	*ret_count = use.count;
	return 0;
}

int gitindex_hidden(struct arena *arena, const void *bytes, size_t length, uint32_t since,
		    unsigned most, const struct gitindex_entry **ret_entries, unsigned *ret_count)
{
	struct index_use use = {
		.entry = find_hidden, .arena = arena, .since = since, .most = most
	};
	use.found = arena_take(arena, most * sizeof(*use.found));
	TRY(read_index(&use, bytes, length));
	*ret_entries = use.found;
	*ret_count = use.count;
	return 0;
}

// Files of one directory mostly follow each other: only a change of it is noted.
static bool note_directory(struct index_use *use, const struct index_reader *reader,
			   const struct gitindex_entry *entry)
{
	size_t length = reader->path_length;
	if (!entry->directory) {
		const char *slash = memrchr(reader->path, '/', length);
		length = slash ? (size_t)(slash - reader->path) : 0;
	} else if (reader->path[length - 1] == '/') {
		length--;
	}
	if (use->count > 0 && strlen(use->text + use->last) == length &&
	    memcmp(use->text + use->last, reader->path, length) == 0)
		return true;
	if (use->used + length + 1 > GITINDEX_DIRECTORY_BYTES)
		return false;
	if (use->used + length + 1 > use->size) {
		use->size = (use->used + length + 1) * 2 + 4096;
		char *more = realloc(use->text, use->size);
		if (!more)
			abort();
		use->text = more;
	}
	memcpy(use->text + use->used, reader->path, length);
	use->text[use->used + length] = '\0';
	use->last = use->used;
	use->used += length + 1;
	use->count++;
	return true;
}

int gitindex_directories(struct arena *arena, const void *bytes, size_t length,
			 const char *const **ret_directories, unsigned *ret_count)
{
	struct index_use use = { .entry = note_directory, .arena = arena };
	int result = read_index(&use, bytes, length);
	if (result == 0 && use.split)
		result = fail(0, "a split index");
	if (result == 0) {
		const char **names = arena_take(arena, (use.count + 1) * sizeof(*names));
		const char *at = arena_copy(arena, use.text ? use.text : "", use.used);
		unsigned count = 0;
		for (unsigned i = 0; i < use.count; i++, at += strlen(at) + 1)
			names[i] = at;
		qsort(names, use.count, sizeof(*names), str_compare);
		for (unsigned i = 0; i < use.count; i++)
			if (count == 0 || strcmp(names[count - 1], names[i]) != 0)
				names[count++] = names[i];
		*ret_directories = names;
		*ret_count = count;
	}
	free(use.text);
	return result;
}
