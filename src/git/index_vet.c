// Owns the judgement of an index that a box wrote: what git itself would write. Hostile input:
// bounded by its own length, no I/O.
#include "git/gitindex.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "text/words.h"
#include "text/sha.h"

struct index_vet {
	struct gitindex_vetted *vetted;
	uint32_t since;
	unsigned char *text;
	size_t used;
	char before[INDEX_PATH_MAX];
	size_t length;
	unsigned stage;
	bool directories;
	size_t needed;
	uint32_t count;
};

// Follows git's verify_path().
static bool is_path(const char *path, uint32_t mode)
{
	enum { LINK = 0120000, DIRECTORY = 040000 };
	for (const char *at = path;; at++) {
		size_t length = strcspn(at, "/");
		if (length == 0 || length >= COMPONENT_MAX)
			return length == 0 && at > path && mode == DIRECTORY && !*at;
		if (strncmp(at, "..", length) == 0 || component_is_git(at) ||
		    (mode == LINK && component_is_modules(at)))
			return false;
		at += length;
		if (!*at)
			return mode != DIRECTORY;
	}
}

static bool follows(const struct index_vet *vet, const struct index_reader *reader, unsigned stage)
{
	size_t shorter = vet->length < reader->path_length ? vet->length : reader->path_length;
	int order = memcmp(vet->before, reader->path, shorter);
	if (order == 0 && vet->length == reader->path_length)
		return vet->length == 0 || (vet->stage > 0 && vet->stage < stage);
	return order < 0 || (order == 0 && vet->length < reader->path_length);
}

static bool is_good(const struct index_vet *vet, const struct index_reader *reader,
		    const struct gitindex_entry *entry)
{
	static const uint32_t modes[] = { 0100644, 0100755, 0120000, 0160000, 040000 };
	bool known = false;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		known = known || entry->mode == modes[i];
	return known && (reader->path_length == 0 || is_path(reader->path, entry->mode)) &&
	       follows(vet, reader, entry->stage);
}

static void set_before(struct index_vet *vet, const struct index_reader *reader, unsigned stage)
{
	memcpy(vet->before, reader->path, reader->path_length);
	vet->length = reader->path_length;
	vet->stage = stage;
}

// Returns the bytes before an entry's path. NULs fill the whole to a multiple of eight.
static size_t front_of(const struct index_reader *reader, const struct gitindex_entry *entry)
{
	enum { EXTENDED = 0x40 };
	return INDEX_STAT + reader->hash + (entry->id[reader->hash] & EXTENDED ? 4U : 2U);
}

static size_t bytes_of(const struct index_reader *reader, const struct gitindex_entry *entry)
{
	return (front_of(reader, entry) + reader->path_length + 8) & ~(size_t)7;
}

static uint64_t add_entry(uint64_t sum, const struct index_reader *reader,
			  const struct gitindex_entry *entry)
{
	const unsigned char *flags = entry->id + reader->hash;
	const uint32_t said[] = { entry->mode, flags[0] & 0xb0, flags[0] & 0x40 ? flags[2] : 0 };
	sum = str_hash_more(sum, said, sizeof(said));
	sum = str_hash_more(sum, entry->id, reader->hash);
	return str_hash_more(sum, reader->path, reader->path_length + 1);
}

static bool vet_entry(struct index_use *use, const struct index_reader *reader,
		      const struct gitindex_entry *entry)
{
	struct index_vet *vet = use->vet;
	struct gitindex_vetted *vetted = vet->vetted;
	if (!vetted->bad && !is_good(vet, reader, entry))
		vetted->bad = arena_copy(use->arena, reader->path, reader->path_length);
	vet->directories = vet->directories || entry->mode == 040000;
	vet->needed += bytes_of(reader, entry);
	set_before(vet, reader, entry->stage);
	if (entry->changed >= vet->since && entry->seconds < vet->since && entry->size > 0) {
		memset(vet->text + (entry->id - reader->bytes) - INDEX_STAT + INDEX_SIZE, 0, 4);
		vetted->touched = true;
	}
	vetted->sum = add_entry(vetted->sum, reader, entry);
	vetted->unchanged += entry->unchanged;
	vetted->skipped += entry->skipped && !entry->directory && !entry->unchanged;
	return true;
}

static void put_extensions(struct index_vet *vet, struct index_reader *reader)
{
	static const char stays[] = "link sdir REUC";
	for (size_t at = vet->used = reader->end, size; reader->length - at > reader->hash;
	     at += size) {
		reader->link = NULL;
		size = index_extension(reader, at);
		if (str_has_word(stays, (const char *)reader->bytes + at, 4)) {
			memmove(vet->text + vet->used, reader->bytes + at, size);
			vet->used += size;
		}
	}
}

static bool keep_entry(struct index_use *use, const struct index_reader *reader,
		       const struct gitindex_entry *entry)
{
	enum { TIMES = 16 };
	struct index_vet *vet = use->vet;
	unsigned char *to = vet->text + vet->used;
	size_t front = front_of(reader, entry);
	if (entry->mode == 040000 || !is_good(vet, reader, entry))
		return true;
	const unsigned char *from = entry->id - INDEX_STAT;
	memset(to, 0, bytes_of(reader, entry));
	memcpy(to + TIMES, from + TIMES, INDEX_SIZE - TIMES);
	memcpy(to + INDEX_STAT, from + INDEX_STAT, front - INDEX_STAT);
	memcpy(to + front, reader->path, reader->path_length);
	vet->used += bytes_of(reader, entry);
	vet->count++;
	set_before(vet, reader, entry->stage);
	return true;
}

static void put_number(unsigned char *to, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(number >> (24 - 8 * i));
}

static bool keep_good(struct index_use *use, struct index_reader *reader, const void *bytes,
		      size_t length, unsigned hash)
{
	enum { HEADER = 12, MORE = 1 << 20 }; // room for good entries and a report
	struct index_vet *vet = use->vet;
	bool whole = !reader->link && !reader->sparse && vet->needed < 2 * length + MORE;
	use->entry = keep_entry;
	vet->text = whole ? arena_take(use->arena, HEADER + vet->needed + hash) : NULL;
	vet->used = HEADER;
	vet->length = vet->stage = 0;
	if (!whole || index_read(use, reader, bytes, length, hash) < 0)
		return false;
	memcpy(vet->text, "DIRC", 4);
	put_number(vet->text + 4, reader->version < 4 ? reader->version : 3);
	put_number(vet->text + 8, vet->count);
	return true;
}

static void put_sum(const void *bytes, size_t length, unsigned hash, unsigned char *to)
{
	if (hash == SHA1_BYTES)
		sha1(bytes, length, to);
	else
		sha256(bytes, length, to);
}

const char *gitindex_shared(struct arena *arena, const unsigned char *id, unsigned hash)
{
	char *name = arena_text(arena, INDEX_SHARED "%*s", (int)hash * 2, "");
	for (unsigned i = 0; i < hash; i++)
		snprintf(name + strlen(INDEX_SHARED) + (size_t)2 * i, 3, "%02x", id[i]);
	return name;
}

const char *gitindex_own(struct arena *arena, const void *bytes, size_t length, unsigned hash)
{
	unsigned char sum[SHA256_BYTES];
	put_sum(bytes, length - hash, hash, sum);
	return gitindex_shared(arena, sum, hash);
}

int gitindex_vet(struct arena *arena, const void *bytes, size_t length, unsigned hash,
		 uint32_t since, struct gitindex_vetted *ret_vetted)
{
	struct gitindex_vetted vetted = { .bad = NULL };
	struct index_vet *vet = arena_take(arena, sizeof(*vet));
	struct index_use use = { .entry = vet_entry, .arena = arena, .vet = vet };
	struct index_reader *reader = arena_take(arena, sizeof(*reader));
	*vet = (struct index_vet){ .vetted = &vetted, .since = since };
	vet->text = (unsigned char *)arena_copy(arena, bytes, length);
	TRY(index_read(&use, reader, bytes, length, hash));
	const unsigned char *link = reader->link;
	if (!vetted.bad && vet->directories && !reader->sparse)
		vetted.bad = "";
	for (unsigned i = 0; link && !vetted.shared && i < hash; i++)
		if (link[i])
			vetted.shared = gitindex_shared(arena, link, hash);
	bool good = !vetted.bad;
	if (good) {
		put_extensions(vet, reader);
		vetted.sum =
			str_hash_more(vetted.sum, vet->text + reader->end, vet->used - reader->end);
	}
	if (good ? vetted.touched || vet->used + hash < length
		 : keep_good(&use, reader, bytes, length, hash)) {
		put_sum(vet->text, vet->used, hash, vet->text + vet->used);
		vetted.text = vet->text;
		vetted.length = vet->used + hash;
	}
	*ret_vetted = vetted;
	return 0;
}
