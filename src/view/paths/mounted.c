// Owns the reading of the kernel's table of mounts. A box may choose names in it: they are not
// opened.
#include "view/paths/wishes.h"

#include <fcntl.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"

enum { TABLE_BYTES = 4 << 20, OCTAL_DIGITS = 3 };

struct words {
	const char *at, *end;
};

static size_t next_word(struct words *words, const char **ret)
{
	const char *space = memchr(words->at, ' ', (size_t)(words->end - words->at));
	size_t length = (size_t)((space ? space : words->end) - words->at);
	*ret = words->at;
	words->at += length + (space != NULL);
	return length;
}

static bool is_octal(const char *at, const char *end)
{
	return end - at > OCTAL_DIGITS && at[0] == '\\' && at[1] >= '0' && at[1] <= '3' &&
	       at[2] >= '0' && at[2] <= '7' && at[3] >= '0' && at[3] <= '7';
}

static const char *unescape(struct arena *arena, const char *word, size_t length)
{
	char *text = arena_copy(arena, word, length);
	const char *end = text + length;
	char *to = text;
	for (const char *at = text; at < end; to++) {
		bool octal = is_octal(at, end);
		*to = octal ? (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0')) : *at;
		at += octal ? OCTAL_DIGITS + 1 : 1;
	}
	*to = '\0';
	return text;
}

static bool read_number(struct words *words, char end, uint64_t *ret)
{
	const char *start = words->at;
	uint64_t number = 0;
	for (; words->at < words->end && *words->at >= '0' && *words->at <= '9'; words->at++)
		number = number * 10 + (uint64_t)(*words->at - '0');
	if (words->at == start || words->at - start > 10 || words->at == words->end ||
	    *words->at != end)
		return false;
	words->at++;
	*ret = number;
	return true;
}

static bool is_writable(const char *options, size_t length)
{
	return length >= 2 && memcmp(options, "rw", 2) == 0 && (length == 2 || options[2] == ',');
}

static bool read_line(struct arena *arena, struct words words, struct mounted *ret)
{
	uint64_t parent, major, minor;
	const char *root, *point, *options, *word;
	if (!read_number(&words, ' ', &ret->id) || !read_number(&words, ' ', &parent) ||
	    !read_number(&words, ':', &major) || !read_number(&words, ' ', &minor))
		return false;
	size_t root_length = next_word(&words, &root), point_length = next_word(&words, &point),
	       options_length = next_word(&words, &options), length;
	if (point_length == 0 || point[0] != '/')
		return false;
	do
		length = next_word(&words, &word);
	while (length > 0 && !(length == 1 && word[0] == '-'));
	if (length == 0)
		return false;
	next_word(&words, &word);
	next_word(&words, &word);
	length = next_word(&words, &word);
	ret->device = major << 32 | minor;
	ret->root = unescape(arena, root, root_length);
	ret->point = unescape(arena, point, point_length);
	ret->writable = is_writable(options, options_length) && is_writable(word, length);
	return true;
}

int mounted_parse(struct arena *arena, const char *text, size_t length, struct mounts *ret)
{
	struct mounts mounts = { 0 };
	unsigned lines = 0;
	for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + length - at))); at++)
		lines++;
	if (lines > MOUNTED_MAX)
		return -1;
	mounts.list = arena_take(arena, (lines + 1) * sizeof(*mounts.list));
	for (const char *at = text, *end = text + length; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline ||
		    !read_line(arena, (struct words){ at, newline }, &mounts.list[mounts.count]))
			return -1;
		mounts.count++;
		at = newline + 1;
	}
	*ret = mounts;
	return 0;
}

int mounted_read(struct arena *arena, struct mounts *ret)
{
	char *text = arena_take(arena, TABLE_BYTES);
	size_t length = file_kernel(AT_FDCWD, "/proc/self/mountinfo", text, TABLE_BYTES);
	return length == 0 || length == TABLE_BYTES - 1 ? -1
							: mounted_parse(arena, text, length, ret);
}

const struct mounted *mounted_find(const struct mounts *mounts, uint64_t id)
{
	for (unsigned i = 0; i < mounts->count; i++)
		if (mounts->list[i].id == id)
			return &mounts->list[i];
	return NULL;
}

static const char *rest(const char *path, const char *above)
{
	return str_equal(above, "/") ? (path[1] ? path : "") : path + strlen(above);
}

static bool joins(const char *above, const char *below, const char *path)
{
	return path_within(path, above) && str_equal(rest(path, above), below);
}

bool mounted_elsewhere(const struct mounts *mounts, uint64_t id, const char *path)
{
	const struct mounted *own = mounted_find(mounts, id);
	if (!own || !path_within(path, own->point))
		return true;
	const char *below = rest(path, own->point);
	for (unsigned i = 0; i < mounts->count; i++) {
		const struct mounted *other = &mounts->list[i];
		if (!other->writable || other->device != own->device)
			continue;
		if (path_within(own->root, other->root)) {
			const char *part = rest(own->root, other->root);
			size_t length = strlen(part);
			const char *way = rest(path, other->point);
			if (!path_within(path, other->point) || strncmp(way, part, length) != 0 ||
			    !str_equal(way + length, below))
				return true;
		} else if (path_within(other->root, own->root)) {
			const char *part = rest(other->root, own->root);
			size_t length = strlen(part);
			if (strncmp(below, part, length) == 0 &&
			    (below[length] == '/' || below[length] == '\0') &&
			    !joins(other->point, below + length, path))
				return true;
		}
	}
	return false;
}

bool mounted_opens(const struct mounts *mounts, const char *path)
{
	for (unsigned i = 0; i < mounts->count; i++)
		if (mounts->list[i].writable && path_within(mounts->list[i].point, path) &&
		    !str_equal(mounts->list[i].point, path))
			return true;
	return false;
}
