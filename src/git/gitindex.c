// Owns the reading of git's index. Hostile input: bounded by its own length, no I/O.
#include "git/gitindex.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/str.h"
#include "text/component.h"
#include "text/sha.h"

enum {
	HEADER = 12,
	STAT = 40,
	MODE = 24,
	SIZE = 36,
	PATH_BYTES_MAX = 4096,
	FLAG_LENGTH = 0xfff, // longer paths have this one
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
	size_t end;                // of the entries
	const unsigned char *link; // the extension of a split index: the rest is in another file
	bool nameless, sparse;     // entries of a split index, and of a sparse one
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
		.size = number(at + SIZE),
		.mode = number(at + MODE),
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
	size_t said = kept + more < FLAG_LENGTH ? kept + more : FLAG_LENGTH;
	if (!end || kept + more >= sizeof(reader->path) || (flags & FLAG_LENGTH) != said)
		return false;
	reader->nameless = reader->nameless || said == 0;
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

// An extension and its own length; 0 when it is none. Git reads no index with one that it does not
// know and that is not in capitals.
static size_t read_extension(struct index_reader *reader, size_t at)
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

// After the entries come extensions, and one name of the hash: it tells the two hashes apart.
static bool ends_well(struct index_reader *reader)
{
	size_t at = reader->end = reader->at, size = 1;
	while (size > 0 && reader->length - at > reader->hash)
		at += size = read_extension(reader, at);
	return reader->length - at == reader->hash && (reader->link || !reader->nameless);
}

// Called for each entry, whose path is in the reader. False ends the reading.
struct index_use {
	bool (*entry)(struct index_use *use, const struct index_reader *reader,
		      const struct gitindex_entry *entry);
	struct arena *arena;
	const char *const *names; // of gitindex_find()
	unsigned name_count, count;
	struct gitindex_entry *found;
	char *text; // of gitindex_directories(): names behind each other
	size_t used, size, last;
	struct index_vet *vet; // of gitindex_vet()
	bool (*keeps)(const char *path);
	struct gitindex_directories *all;
	size_t kept; // of the directory that was noted last: the part that is kept, or 0
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

static int read_by(struct index_use *use, struct index_reader *reader, const void *bytes,
		   size_t length, unsigned hash)
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
	return ATTEMPT(read_by(use, reader, bytes, length, SHA1_BYTES)) == 0
		       ? 0
		       : read_by(use, reader, bytes, length, SHA256_BYTES);
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

// What gitindex_vet() knows of the entry before, and what it makes.
struct index_vet {
	struct gitindex_vetted *vetted;
	struct gitindex_entry *marked;
	unsigned size; // of `marked`
	uint32_t since;
	unsigned char *text; // a copy of the index
	size_t used;         // so much of it is the new one
	char before[PATH_BYTES_MAX];
	size_t length; // of `before`
	unsigned stage;
	bool directories; // entries of a sparse index
};

// As git's own verify_path(): each component is a name, and none is git's, whatever file system it
// is written to.
static bool is_path(const char *path, uint32_t mode)
{
	enum { LINK = 0120000, DIRECTORY = 040000 };
	for (const char *at = path;; at++) {
		size_t length = strcspn(at, "/");
		if (length == 0 || length >= COMPONENT_MAX)
			return length == 0 && at > path && mode == DIRECTORY && !*at;
		if (strncmp(at, "..", length) == 0 || component_is_git(at) || // "." as well
		    (mode == LINK && component_is_modules(at)))
			return false;
		at += length;
		if (!*at)
			return mode != DIRECTORY;
	}
}

// Git writes them in the order of paths and stages, each once.
static bool follows(const struct index_vet *vet, const struct index_reader *reader, unsigned stage)
{
	size_t shorter = vet->length < reader->path_length ? vet->length : reader->path_length;
	int order = memcmp(vet->before, reader->path, shorter);
	if (order == 0 && vet->length == reader->path_length)
		return vet->length == 0 || (vet->stage > 0 && vet->stage < stage);
	return order < 0 || (order == 0 && vet->length < reader->path_length);
}

static bool vet_entry(struct index_use *use, const struct index_reader *reader,
		      const struct gitindex_entry *entry)
{
	static const uint32_t modes[] = { 0100644, 0100755, 0120000, 0160000, 040000 };
	struct index_vet *vet = use->vet;
	struct gitindex_vetted *vetted = vet->vetted;
	bool known = false;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		known = known || entry->mode == modes[i];
	bool named = reader->path_length == 0 || is_path(reader->path, entry->mode);
	if (!vetted->bad && (!known || !named || !follows(vet, reader, entry->stage)))
		vetted->bad = arena_copy(use->arena, reader->path, reader->path_length);
	vet->directories = vet->directories || entry->mode == 040000;
	memcpy(vet->before, reader->path, reader->path_length);
	vet->length = reader->path_length;
	vet->stage = entry->stage;
	if (entry->changed >= vet->since && entry->seconds < vet->since && entry->size > 0) {
		memset(vet->text + (entry->id - reader->bytes) - STAT + SIZE, 0, 4);
		vetted->touched = true;
	}
	if (!entry->unchanged && !entry->absent)
		return true;
	vet->marked = arena_grow(use->arena, vet->marked, vetted->marked_count, &vet->size,
				 sizeof(*vet->marked));
	vet->marked[vetted->marked_count] = *entry;
	vet->marked[vetted->marked_count++].path =
		arena_copy(use->arena, reader->path, reader->path_length);
	return true;
}

// Of the extensions those stay that say more than the entries do.
static void put_extensions(struct index_vet *vet, struct index_reader *reader)
{
	static const char stays[] = "link sdir REUC";
	for (size_t at = vet->used = reader->end, size; reader->length - at > reader->hash;
	     at += size) {
		reader->link = NULL;
		size = read_extension(reader, at);
		if (str_has_word(stays, (const char *)reader->bytes + at, 4)) {
			memmove(vet->text + vet->used, reader->bytes + at, size);
			vet->used += size;
		}
	}
}

int gitindex_vet(struct arena *arena, const void *bytes, size_t length, unsigned hash,
		 uint32_t since, struct gitindex_vetted *ret_vetted)
{
	struct gitindex_vetted vetted = { NULL };
	struct index_vet *vet = arena_take(arena, sizeof(*vet));
	struct index_use use = { .entry = vet_entry, .arena = arena, .vet = vet };
	struct index_reader *reader = arena_take(arena, sizeof(*reader));
	*vet = (struct index_vet){ .vetted = &vetted, .since = since };
	vet->text = (unsigned char *)arena_copy(arena, bytes, length);
	TRY(read_by(&use, reader, bytes, length, hash));
	const unsigned char *link = reader->link;
	if (!vetted.bad && vet->directories && !reader->sparse)
		vetted.bad = "";
	for (unsigned i = 0; link && i < hash; i++)
		if (link[i]) {
			char *name = arena_text(arena, "sharedindex.%*s", (int)hash * 2, "");
			size_t front = strlen("sharedindex.");
			for (unsigned j = 0; j < hash; j++)
				snprintf(name + front + (size_t)2 * j, 3, "%02x", link[j]);
			vetted.shared = name;
			break;
		}
	put_extensions(vet, reader);
	if (vetted.touched || vet->used + hash < length) {
		if (hash == SHA1_BYTES)
			sha1(vet->text, vet->used, vet->text + vet->used);
		else
			sha256(vet->text, vet->used, vet->text + vet->used);
		vetted.text = vet->text;
		vetted.length = vet->used + hash;
	}
	vetted.marked = vet->marked;
	*ret_vetted = vetted;
	return 0;
}

// The first part of a directory's path that is kept.
static size_t kept_part(const struct index_use *use, const char *path)
{
	char part[PATH_BYTES_MAX];
	for (size_t at = strcspn(path, "/"); path[0]; at += 1 + strcspn(path + at + 1, "/")) {
		if (str_put(part, sizeof(part), "%.*s", (int)at, path) && use->keeps(part))
			return at;
		if (!path[at])
			break;
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
	memcpy(use->text + use->used, path, length);
	use->text[use->used + length] = '\0';
	use->last = use->used;
	use->used += length + 1;
	use->count++;
	use->kept = kept_part(use, use->text + use->last);
	return true;
}

// Files of one directory mostly follow each other: only a change of it is noted.
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
	bool same = use->count > 0 && strlen(use->text + use->last) == length &&
		    memcmp(use->text + use->last, reader->path, length) == 0;
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
