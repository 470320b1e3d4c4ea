// Owns the reading of git's index. Hostile input: bounded by its own length, no I/O.
#include "git/gitindex.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"

enum { HEADER = 12, STAT = 40, PATH_BYTES_MAX = 4096, FLAG_EXTENDED = 0x4000 };

struct index_reader {
	const unsigned char *bytes;
	size_t length, at;
	uint32_t version;
	unsigned hash; // bytes of an object's name
	char path[PATH_BYTES_MAX];
	size_t path_length;
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
		.seconds = number(at + 8),
		.nanoseconds = number(at + 12),
		.size = number(at + 36),
		.id = at + STAT,
		.id_bytes = reader->hash,
		.stage = flags >> 12 & 3,
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
static bool ends_well(const struct index_reader *reader)
{
	size_t at = reader->at;
	while (reader->length - at > reader->hash) {
		if (reader->length - at < 8 + (size_t)reader->hash ||
		    number(reader->bytes + at + 4) > reader->length - at - 8)
			return false;
		at += 8 + (size_t)number(reader->bytes + at + 4);
	}
	return reader->length - at == reader->hash;
}

static int read_all(struct arena *arena, struct index_reader *reader, const char *const *names,
		    unsigned name_count, struct gitindex_entry *found, unsigned *ret_count)
{
	unsigned count = 0;
	for (uint32_t left = number(reader->bytes + 8); left > 0; left--) {
		struct gitindex_entry entry;
		if (!read_entry(reader, &entry))
			return fail(0, "no index of git's");
		if (count == GITINDEX_FOUND_MAX || !is_wanted(reader->path, names, name_count))
			continue;
		entry.path = arena_copy(arena, reader->path, reader->path_length);
		found[count++] = entry;
	}
	*ret_count = count;
	return ends_well(reader) ? 0 : fail(0, "no index of git's");
}

int gitindex_find(struct arena *arena, const void *bytes, size_t length, const char *const *names,
		  unsigned name_count, const struct gitindex_entry **ret_entries,
		  unsigned *ret_count)
{
	static const unsigned hashes[] = { 20, 32 }; // SHA-1, SHA-256
	struct gitindex_entry *found = arena_take(arena, GITINDEX_FOUND_MAX * sizeof(*found));
	struct index_reader *reader = arena_take(arena, sizeof(*reader));
	if (length < HEADER || memcmp(bytes, "DIRC", 4) != 0)
		return fail(0, "no index of git's");
	for (unsigned i = 0; i < 2; i++) {
		*reader = (struct index_reader){ .bytes = bytes, .length = length, .at = HEADER };
		reader->version = number(reader->bytes + 4);
		reader->hash = hashes[i];
		if (reader->version < 2 || reader->version > 4)
			return fail(0, "an index of version %u", (unsigned)reader->version);
		int result = i == 0 ? ATTEMPT(read_all(arena, reader, names, name_count, found,
						       ret_count))
				    : read_all(arena, reader, names, name_count, found, ret_count);
		if (result == 0) {
			*ret_entries = found;
			return 0;
		}
	}
	return -1;
}
