// Owns the form of tar archives, and the list of parts of a file with holes.
#include "session/archive/tar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
static const char attribute_key[] = "SCHILY.xattr.", sparse_key[] = "GNU.sparse.";
static const char access_key[] = "SCHILY.acl.access", given_key[] = "SCHILY.acl.default";

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

// The placeholder name of a file with holes is for readers that cannot restore holes.
static bool read_sparse(const char *key, const char *value, size_t length, struct tar_entry *entry)
{
	unsigned long long number = 0;
	if (str_equal(key, "name")) {
		entry->name = value;
		return true;
	}
	if (!str_number(value, length, 0, INT64_MAX / 2, &number))
		return false;
	if (str_equal(key, "major"))
		entry->sparse = number == 1 ? TAR_SPARSE : TAR_SPARSE_OLD;
	else if (str_equal(key, "realsize"))
		entry->real_size = number;
	else if (str_equal(key, "numblocks"))
		entry->sparse = TAR_SPARSE_OLD;
	return true;
}

static bool read_record(struct arena *arena, const char *key, const char *value, size_t length,
			struct tar_entry *entry)
{
	unsigned long long number;
	if (str_starts(key, attribute_key)) {
		if (entry->attribute_count < TAR_ATTRIBUTES_MAX)
			entry->attributes[entry->attribute_count++] = (struct tar_attribute){
				arena_copy(arena, key + sizeof(attribute_key) - 1,
					   strlen(key) - sizeof(attribute_key) + 1),
				value, length
			};
		return true;
	}
	if (strlen(value) != length)
		return false; // a NUL where text belongs
	if (str_starts(key, sparse_key) && !str_equal(key, "GNU.sparse.map"))
		return read_sparse(key + sizeof(sparse_key) - 1, value, length, entry);
	if (str_equal(key, "path"))
		entry->name = entry->sparse == TAR_SPARSE ? entry->name : value;
	else if (str_equal(key, "linkpath"))
		entry->link = value;
	else if (str_equal(key, access_key))
		entry->access = value;
	else if (str_equal(key, given_key))
		entry->given = value;
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
		    !read_record(arena, arena_copy(arena, key, (size_t)(equal - key)),
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

static void put_record(struct out *out, const char *key, const char *rest, const void *value,
		       size_t length)
{
	size_t body = strlen(key) + strlen(rest) + length + 3, size = body + 1;
	char digits[24];
	// The length counts its own digits.
	while (size != body + (size_t)snprintf(digits, sizeof(digits), "%zu", size))
		size = body + strlen(digits);
	out_text(out, "%zu %s%s=", size, key, rest);
	out_bytes(out, value, length);
	out_text(out, "\n");
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
	put_record(&records, "path", "", entry->name, strlen(entry->name));
	if (entry->sparse == TAR_SPARSE) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)entry->real_size);
		put_record(&records, sparse_key, "major", "1", 1);
		put_record(&records, sparse_key, "minor", "0", 1);
		put_record(&records, sparse_key, "name", entry->name, strlen(entry->name));
		put_record(&records, sparse_key, "realsize", text, strlen(text));
	}
	if (entry->link)
		put_record(&records, "linkpath", "", entry->link, strlen(entry->link));
	snprintf(text, sizeof(text), "%lld.%09ld",
		 entry->seconds > 0 ? (long long)entry->seconds : 0, entry->nanoseconds);
	put_record(&records, "mtime", "", text, strlen(text));
	// Some readers of sparse files count wrong with a size here, which the header has, too.
	snprintf(text, sizeof(text), "%llu", (unsigned long long)entry->size);
	if (entry->size > SIZE_IN_HEADER)
		put_record(&records, "size", "", text, strlen(text));
	for (unsigned i = 0; i < entry->attribute_count; i++)
		put_record(&records, attribute_key, entry->attributes[i].name,
			   entry->attributes[i].value, entry->attributes[i].length);
	if (entry->access)
		put_record(&records, access_key, "", entry->access, strlen(entry->access));
	if (entry->given)
		put_record(&records, given_key, "", entry->given, strlen(entry->given));
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

enum { PARTS_MAX = 4000000 };

static void add(struct arena *arena, struct sparse *sparse, uint64_t at, uint64_t size)
{
	sparse->list = arena_grow(arena, sparse->list, sparse->count, &sparse->size,
				  sizeof(*sparse->list));
	sparse->list[sparse->count++] = (struct sparse_part){ at, size };
	sparse->bytes += size;
}

// A file system that knows nothing of holes has one part, up to the end.
void sparse_find(struct arena *arena, int fd, uint64_t size, struct sparse *ret_sparse)
{
	struct sparse sparse = { .count = 0 };
	for (uint64_t at = 0; at < size;) {
		off_t data = lseek(fd, (off_t)at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		off_t hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
		uint64_t first = data < 0 ? at : (uint64_t)data / TAR_BLOCK * TAR_BLOCK,
			 end = hole < 0 || sparse.count == PARTS_MAX - 1 ? size : (uint64_t)hole;
		end = (end + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
		end = end < size ? end : size;
		first = first > at ? first : at;
		add(arena, &sparse, first, end - first);
		at = end;
	}
	// One that ends with a hole has an empty part there: so says its size who reads no other.
	if (sparse.count == 0 ||
	    sparse.list[sparse.count - 1].at + sparse.list[sparse.count - 1].size < size)
		add(arena, &sparse, size, 0);
	*ret_sparse = sparse;
}

void sparse_put(struct out *out, const struct sparse *sparse)
{
	static const char zeros[TAR_BLOCK];
	size_t before = out->used;
	out_text(out, "%u\n", sparse->count);
	for (unsigned i = 0; i < sparse->count; i++)
		out_text(out, "%llu\n%llu\n", (unsigned long long)sparse->list[i].at,
			 (unsigned long long)sparse->list[i].size);
	out_bytes(out, zeros, (TAR_BLOCK - (out->used - before) % TAR_BLOCK) % TAR_BLOCK);
}

// The first number is how many pairs follow. Parts are in order, and none is outside of the file.
static bool take_number(struct arena *arena, struct sparse *sparse, uint64_t size)
{
	uint64_t number = sparse->number;
	struct sparse_part *last = sparse->count > 0 ? &sparse->list[sparse->count - 1] : NULL;
	sparse->number = 0;
	sparse->digits = false;
	if (sparse->numbers++ == 0)
		return number <= PARTS_MAX;
	if (sparse->numbers % 2 == 0) {
		if (number > size || (last && number < last->at + last->size))
			return false;
		add(arena, sparse, number, 0);
		return true;
	}
	if (number > size - last->at)
		return false;
	last->size = number;
	sparse->bytes += number;
	return true;
}

int sparse_feed(struct arena *arena, struct sparse *sparse, const char *block, uint64_t size)
{
	for (unsigned i = 0; i < TAR_BLOCK; i++) {
		bool digit = block[i] >= '0' && block[i] <= '9';
		if (digit && sparse->number < UINT64_MAX / 100) {
			sparse->number = sparse->number * 10 + (uint64_t)(block[i] - '0');
			sparse->digits = true;
			if (sparse->numbers == 0)
				sparse->wanted = sparse->number;
			continue;
		}
		if (block[i] != '\n' || !sparse->digits || !take_number(arena, sparse, size))
			return fail(0, "the archive's list of a sparse file is damaged");
		if (sparse->numbers == 2 * sparse->wanted + 1)
			return 1;
	}
	return 0;
}
