// Owns the form of tar archives.
#include "session/archive/tar.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"

// Fields of a header: offset and size.
enum field { NAME, MODE, UID, GID, SIZE, TIME, SUM, TYPE, LINK, MAGIC, PREFIX };
static const struct {
	unsigned short at, size;
} fields[] = {
	[NAME] = { 0, 100 },   [MODE] = { 100, 8 },  [UID] = { 108, 8 },      [GID] = { 116, 8 },
	[SIZE] = { 124, 12 },  [TIME] = { 136, 12 }, [SUM] = { 148, 8 },      [TYPE] = { 156, 1 },
	[LINK] = { 157, 100 }, [MAGIC] = { 257, 8 }, [PREFIX] = { 345, 155 },
};

#define SIZE_IN_HEADER 077777777777ULL

// Octal, or with the first bit set base 256 (GNU). False when it is neither, or too large.
static bool read_number(const char *block, enum field field, uint64_t *ret_number)
{
	const unsigned char *at = (const unsigned char *)block + fields[field].at;
	unsigned size = fields[field].size, i = 0;
	uint64_t number = 0;
	if (at[0] & 0x80) {
		number = at[0] & 0x7f;
		for (i = 1; i < size; i++) {
			if (number >> 55)
				return false;
			number = number << 8 | at[i];
		}
		*ret_number = number;
		return true;
	}
	while (i < size && at[i] == ' ')
		i++;
	for (; i < size && at[i] >= '0' && at[i] <= '7'; i++)
		number = number << 3 | (uint64_t)(at[i] - '0');
	if (i < size && at[i] != '\0' && at[i] != ' ')
		return false;
	*ret_number = number;
	return true;
}

static char *read_text(struct arena *arena, const char *block, enum field field)
{
	const char *at = block + fields[field].at;
	return arena_copy(arena, at, strnlen(at, fields[field].size));
}

static unsigned sum_of(const char *block)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < TAR_BLOCK; i++) {
		bool own = i >= fields[SUM].at && i < fields[SUM].at + fields[SUM].size;
		sum += own ? ' ' : (unsigned char)block[i];
	}
	return sum;
}

int tar_header(struct arena *arena, const char block[TAR_BLOCK], struct tar_entry *ret_entry)
{
	static const char zeros[TAR_BLOCK];
	uint64_t mode, time, sum;
	struct tar_entry entry = { 0 };
	if (memcmp(block, zeros, TAR_BLOCK) == 0)
		return 0;
	if (!read_number(block, SUM, &sum) || sum != sum_of(block) ||
	    !read_number(block, MODE, &mode) || !read_number(block, UID, &entry.uid) ||
	    !read_number(block, GID, &entry.gid) || !read_number(block, SIZE, &entry.size) ||
	    !read_number(block, TIME, &time) || entry.size > INT64_MAX / 2)
		return fail(0, "it is not a tar archive, or it is damaged or compressed");
	entry.type = block[fields[TYPE].at] ? block[fields[TYPE].at] : '0';
	entry.mode = (unsigned)(mode & 07777);
	entry.seconds = time > INT64_MAX ? 0 : (int64_t)time;
	entry.name = read_text(arena, block, NAME);
	entry.link = read_text(arena, block, LINK);
	if (memcmp(block + fields[MAGIC].at, "ustar", 5) == 0 &&
	    block[fields[MAGIC].at + 5] == '\0' && block[fields[PREFIX].at])
		entry.name =
			arena_text(arena, "%s/%s", read_text(arena, block, PREFIX), entry.name);
	*ret_entry = entry;
	return 1;
}

// "1700000000.123456789"
static bool read_time(const char *text, struct tar_entry *entry)
{
	unsigned long long seconds, nanoseconds = 0;
	size_t whole = strcspn(text, ".");
	char digits[] = "000000000";
	if (!str_number(text, whole, 0, INT64_MAX / 2, &seconds))
		return false;
	if (text[whole] == '.') {
		size_t length = strlen(text + whole + 1);
		memcpy(digits, text + whole + 1, length < 9 ? length : 9);
		if (!str_number(digits, 9, 0, 999999999, &nanoseconds))
			return false;
	}
	entry->seconds = (int64_t)seconds;
	entry->nanoseconds = (long)nanoseconds;
	return true;
}

static bool read_record(const char *key, const char *value, size_t length, struct tar_entry *entry)
{
	unsigned long long number;
	if (str_starts(key, "SCHILY.xattr."))
		return true; // any bytes
	if (strlen(value) != length)
		return false; // a NUL where text belongs
	if (str_equal(key, "path"))
		entry->name = value;
	else if (str_equal(key, "linkpath"))
		entry->link = value;
	else if (str_starts(key, "SCHILY.acl."))
		entry->acl = true;
	else if (str_starts(key, "GNU.sparse."))
		entry->sparse = true;
	else if (str_equal(key, "mtime"))
		return read_time(value, entry);
	else if (str_equal(key, "size")) {
		if (!str_number(value, length, 0, INT64_MAX / 2, &number))
			return false;
		entry->size = number;
	}
	return true; // what we do not know changes nothing that we keep
}

// "LENGTH KEY=VALUE\n", where the length counts all of it.
int tar_extend(struct arena *arena, const char *text, size_t length, struct tar_entry *entry)
{
	while (length > 0) {
		size_t digits = 0;
		unsigned long long size;
		while (digits < length && text[digits] >= '0' && text[digits] <= '9')
			digits++;
		if (digits == length || text[digits] != ' ' ||
		    !str_number(text, digits, digits + 3, length, &size) || text[size - 1] != '\n')
			return fail(0, "the archive's extended header is damaged");
		const char *key = text + digits + 1, *end = text + size - 1,
			   *equal = memchr(key, '=', (size_t)(end - key));
		if (!equal || memchr(key, '\0', (size_t)(equal - key)) ||
		    !read_record(arena_copy(arena, key, (size_t)(equal - key)),
				 arena_copy(arena, equal + 1, (size_t)(end - equal) - 1),
				 (size_t)(end - equal) - 1, entry))
			return fail(0, "the archive's extended header is damaged");
		text += size;
		length -= size;
	}
	return 0;
}

const char *tar_path(struct arena *arena, const char *name)
{
	char *path = arena_take(arena, strlen(name) + 1), *end = path;
	while (*name) {
		size_t length = strcspn(name, "/");
		if (length == 2 && name[0] == '.' && name[1] == '.')
			return NULL;
		if (length > 0 && !(length == 1 && name[0] == '.')) {
			if (end > path)
				*end++ = '/';
			memcpy(end, name, length);
			end += length;
		}
		name += length + (name[length] == '/');
	}
	return end > path ? path : NULL;
}

static void put_octal(char *block, enum field field, uint64_t number)
{
	char text[32];
	int size = fields[field].size - 1;
	snprintf(text, sizeof(text), "%0*llo", size, (unsigned long long)number);
	// What does not fit is said by the extended header.
	memcpy(block + fields[field].at, strlen(text) > (size_t)size ? "77777777777" : text,
	       (size_t)size);
}

static void put_block(struct out *out, const struct tar_entry *entry, const char *name,
		      uint64_t size)
{
	char block[TAR_BLOCK] = { 0 };
	memcpy(block + fields[NAME].at, name, strnlen(name, fields[NAME].size));
	put_octal(block, MODE, entry->mode);
	put_octal(block, UID, entry->uid & 07777777);
	put_octal(block, GID, entry->gid & 07777777);
	put_octal(block, SIZE, size);
	put_octal(block, TIME, entry->seconds > 0 ? (uint64_t)entry->seconds : 0);
	block[fields[TYPE].at] = entry->type;
	if (entry->link)
		memcpy(block + fields[LINK].at, entry->link,
		       strnlen(entry->link, fields[LINK].size));
	memcpy(block + fields[MAGIC].at, "ustar\00000", 8);
	memset(block + fields[SUM].at, ' ', fields[SUM].size);
	snprintf(block + fields[SUM].at, fields[SUM].size, "%06o", sum_of(block));
	out_bytes(out, block, TAR_BLOCK);
}

static void put_record(struct out *out, const char *key, const char *value)
{
	size_t body = strlen(key) + strlen(value) + 3, size = body + 1;
	char digits[24];
	// The length counts its own digits.
	while (size != body + (size_t)snprintf(digits, sizeof(digits), "%zu", size))
		size = body + strlen(digits);
	out_text(out, "%zu %s=%s\n", size, key, value);
}

static void put_padding(struct out *out, size_t length)
{
	static const char zeros[TAR_BLOCK];
	out_bytes(out, zeros, (TAR_BLOCK - length % TAR_BLOCK) % TAR_BLOCK);
}

void tar_put(struct out *out, const struct tar_entry *entry)
{
	struct out records = { 0 };
	char text[64];
	struct tar_entry extended = { .type = 'x', .mode = 0644 };
	put_record(&records, "path", entry->name);
	if (entry->link)
		put_record(&records, "linkpath", entry->link);
	snprintf(text, sizeof(text), "%lld.%09ld",
		 entry->seconds > 0 ? (long long)entry->seconds : 0, entry->nanoseconds);
	put_record(&records, "mtime", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)entry->size);
	if (entry->size > SIZE_IN_HEADER)
		put_record(&records, "size", text);
	put_block(out, &extended, "PaxHeader", records.used);
	out_bytes(out, records.text, records.used);
	put_padding(out, records.used);
	put_block(out, entry, entry->name, entry->size);
	out_free(&records);
}

bool tar_is_of_image(const char *path)
{
	enum { DIGEST = 64 };
	size_t hex = strspn(path, "0123456789abcdef");
	if (str_equal(path, "oci-layout") || str_equal(path, "manifest.json") ||
	    str_starts(path, "blobs/sha256/"))
		return true;
	return hex == DIGEST && (str_equal(path + hex, "/layer.tar") ||
				 str_equal(path + hex, ".tar") || str_equal(path + hex, ".json"));
}
