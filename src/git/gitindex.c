// Owns the reading of git's index. Hostile input: bounded by its own length, no I/O.
#include "git/gitindex.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "text/sha.h"

enum {
	HEADER = 12,
	MODE = 24,
	FLAG_LENGTH = 0xfff,
	FLAG_EXTENDED = 0x4000,
	ASSUME_VALID = 0x8000,
	SKIP_WORKTREE = 0x40
};

static uint32_t number(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// Reads how many bytes of the previous path an entry of version 4 drops (git's variable-length
// number).
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

static bool read_entry(struct index_reader *reader, struct gitindex_entry *ret_entry)
{
	size_t start = reader->at, fixed = INDEX_STAT + reader->hash + 2,
	       dropped = reader->path_length;
	if (reader->length - start < fixed + 3)
		return false;
	const unsigned char *at = reader->bytes + start;
	unsigned flags = (unsigned)at[fixed - 2] << 8 | at[fixed - 1];
	*ret_entry = (struct gitindex_entry){
		.changed = number(at),
		.seconds = number(at + 8),
		.nanoseconds = number(at + 12),
		.size = number(at + INDEX_SIZE),
		.mode = number(at + MODE),
		.id = at + INDEX_STAT,
		.id_bytes = reader->hash,
		.stage = flags >> 12 & 3,
		.unchanged = flags & ASSUME_VALID,
		.skipped = flags & FLAG_EXTENDED && at[fixed] & SKIP_WORKTREE,
		.link = (at[MODE + 2] >> 4 & 0xf) == 012,
		.directory = (at[MODE + 2] >> 4 & 0xf) != 010 && (at[MODE + 2] >> 4 & 0xf) != 012,
	};
	reader->at += fixed + (flags & FLAG_EXTENDED ? 2 : 0);
	if (reader->version == 4 && !read_dropped(reader, &dropped))
		return false;
	const unsigned char *path = reader->bytes + reader->at;
	const unsigned char *end = memchr(path, '\0', reader->length - reader->at);
	size_t kept = reader->path_length - dropped, more = end ? (size_t)(end - path) : 0;
	size_t said = kept + more < FLAG_LENGTH ? kept + more : FLAG_LENGTH;
	if (!end || kept + more >= sizeof(reader->path) || (flags & FLAG_LENGTH) != said)
		return false;
	reader->nameless = reader->nameless || said == 0;
	memcpy(reader->path + kept, path, more);
	reader->path_length = kept + more;
	reader->path[reader->path_length] = '\0';
	reader->at += more + 1;
	if (reader->version < 4) // NULs fill an entry to a multiple of eight bytes.
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

size_t index_extension(struct index_reader *reader, size_t at)
{
	const unsigned char *name = reader->bytes + at;
	if (reader->length - at < 8 + (size_t)reader->hash ||
	    number(name + 4) > reader->length - reader->hash - at - 8)
		return 0;
	size_t size = number(name + 4);
	bool link = memcmp(name, "link", 4) == 0, sparse = memcmp(name, "sdir", 4) == 0;
	if ((!link && !sparse && (name[0] < 'A' || name[0] > 'Z')) ||
	    (link && (reader->link || size < reader->hash)))
		return 0;
	reader->link = link ? name + 8 : reader->link;
	reader->sparse = reader->sparse || sparse;
	return 8 + size;
}

static bool ends_well(struct index_reader *reader)
{
	size_t at = reader->end = reader->at, size = 1;
	while (size > 0 && reader->length - at > reader->hash)
		at += size = index_extension(reader, at);
	return reader->length - at == reader->hash && (reader->link || !reader->nameless);
}

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

static int read_all(struct index_use *use, struct index_reader *reader)
{
	use->count = 0;
	use->used = use->last = 0;
	if (use->all)
		use->all->kept_count = 0;
	for (uint32_t left = number(reader->bytes + 8); left > 0; left--) {
		struct gitindex_entry entry;
		if (!read_entry(reader, &entry) || !use->entry(use, reader, &entry))
			return fail(0, "no index of git's");
	}
	return ends_well(reader) ? 0 : fail(0, "no index of git's");
}

int index_read(struct index_use *use, struct index_reader *reader, const void *bytes, size_t length,
	       unsigned hash)
{
	*reader = (struct index_reader){
		.bytes = bytes, .length = length, .at = HEADER, .hash = hash
	};
	if (length < HEADER || memcmp(bytes, "DIRC", 4) != 0)
		return fail(0, "no index of git's");
	reader->version = number(reader->bytes + 4);
	if (reader->version < 2 || reader->version > 4)
		return fail(0, "an index of version %u", (unsigned)reader->version);
	return read_all(use, reader);
}

static int read_index(struct index_use *use, struct index_reader *reader, const void *bytes,
		      size_t length)
{
	return ATTEMPT(index_read(use, reader, bytes, length, SHA1_BYTES)) == 0
		       ? 0
		       : index_read(use, reader, bytes, length, SHA256_BYTES);
}

int gitindex_find(struct arena *arena, const void *bytes, size_t length, const char *const *names,
		  unsigned name_count, const struct gitindex_entry **ret_entries,
		  unsigned *ret_count)
{
	struct index_use use = {
		.entry = find_entry, .arena = arena, .names = names, .name_count = name_count
	};
	struct index_reader *reader = arena_take(arena, sizeof(*reader));
	use.found = arena_take(arena, GITINDEX_FOUND_MAX * sizeof(*use.found));
	TRY(read_index(&use, reader, bytes, length));
	*ret_entries = use.found;
	*ret_count = use.count;
	return 0;
}

static size_t kept_part(const struct index_use *use, const char *path, size_t known)
{
	char part[INDEX_PATH_MAX];
	for (size_t at = known; path[at];) {
		at += path[at] == '/';
		at += strcspn(path + at, "/");
		memcpy(part, path, at);
		part[at] = '\0';
		if (use->keeps(part))
			return at;
	}
	return 0;
}

static void keep_file(struct index_use *use, const struct index_reader *reader)
{
	struct gitindex_directories *all = use->all;
	size_t part = use->kept;
	if (part == 0 && use->keeps(reader->path))
		part = reader->path_length;
	if (part == 0)
		return;
	all->kept = arena_grow(use->arena, all->kept, all->kept_count, &all->kept_room,
			       sizeof(*all->kept));
	all->kept[all->kept_count++] =
		(struct gitindex_kept){ arena_copy(use->arena, reader->path, reader->path_length),
					part };
}

static bool add_directory(struct index_use *use, const char *path, size_t length)
{
	if (use->used + length + 1 > GITINDEX_DIRECTORY_BYTES)
		return false;
	if (use->used + length + 1 > use->size) {
		use->size = (use->used + length + 1) * 2 + 4096;
		char *more = realloc(use->text, use->size);
		if (!more)
			abort();
		use->text = more;
	}
	char *fresh = use->text + use->used;
	memcpy(fresh, path, length);
	fresh[length] = '\0';
	size_t known = use->count > 0 ? path_common(use->text + use->last, fresh) : 0;
	if (use->kept == 0 || known < use->kept)
		use->kept = kept_part(use, fresh, known);
	use->last = use->used;
	use->used += length + 1;
	use->count++;
	return true;
}

static bool note_directory(struct index_use *use, const struct index_reader *reader,
			   const struct gitindex_entry *entry)
{
	size_t length = reader->path_length;
	if (!entry->directory) {
		const char *slash = memrchr(reader->path, '/', length);
		length = slash ? (size_t)(slash - reader->path) : 0;
	} else if (length > 0 && reader->path[length - 1] == '/') {
		length--;
	}
	const char *last = use->count > 0 ? use->text + use->last : "";
	bool same =
		use->count > 0 && strlen(last) == length && memcmp(last, reader->path, length) == 0;
	for (size_t at = path_common(last, reader->path) + 1; !same && at < length; at++) {
		if (reader->path[at] != '/')
			continue;
		if (!add_directory(use, reader->path, at))
			return false;
	}
	if (!same && !add_directory(use, reader->path, length))
		return false;
	if (!entry->directory)
		keep_file(use, reader);
	return true;
}

int gitindex_directories(struct arena *arena, const void *bytes, size_t length,
			 bool (*keeps)(const char *path), struct gitindex_directories *ret)
{
	struct gitindex_directories all = { 0 };
	struct index_use use = {
		.entry = note_directory, .arena = arena, .keeps = keeps, .all = &all
	};
	struct index_reader *reader = arena_take(arena, sizeof(*reader));
	int result = read_index(&use, reader, bytes, length);
	if (result == 0 && reader->link)
		result = fail(0, "a split index");
	if (result == 0) {
		const char **names = arena_take(arena, (use.count + 1) * sizeof(*names));
		const char *at = arena_copy(arena, use.text ? use.text : "", use.used);
		for (unsigned i = 0; i < use.count; i++, at += strlen(at) + 1)
			names[i] = at;
		qsort(names, use.count, sizeof(*names), str_compare);
		for (unsigned i = 0; i < use.count; i++)
			if (all.count == 0 || strcmp(names[all.count - 1], names[i]) != 0)
				names[all.count++] = names[i];
		all.paths = names;
		*ret = all;
	}
	free(use.text);
	return result;
}
