// Owns the folding of names like ext4 and f2fs with "casefold": Unicode's CaseFolding.txt (full)
// and Default_Ignorable_Code_Point, as far as the result is ASCII.
#include "text/words.h"

#include <stddef.h>
#include <string.h>

#include "base/base.h"
#include "text/piece.h"

static const struct {
	uint32_t from, to;
	const char *text;
} folds[] = {
	{ 0xAD, 0xAD, "" },        { 0xDF, 0xDF, "ss" },     { 0x17F, 0x17F, "s" },
	{ 0x34F, 0x34F, "" },      { 0x61C, 0x61C, "" },     { 0x115F, 0x1160, "" },
	{ 0x17B4, 0x17B5, "" },    { 0x180B, 0x180F, "" },   { 0x1E9E, 0x1E9E, "ss" },
	{ 0x200B, 0x200F, "" },    { 0x202A, 0x202E, "" },   { 0x2060, 0x206F, "" },
	{ 0x212A, 0x212A, "k" },   { 0x3164, 0x3164, "" },   { 0xFB00, 0xFB00, "ff" },
	{ 0xFB01, 0xFB01, "fi" },  { 0xFB02, 0xFB02, "fl" }, { 0xFB03, 0xFB03, "ffi" },
	{ 0xFB04, 0xFB04, "ffl" }, { 0xFB05, 0xFB06, "st" }, { 0xFE00, 0xFE0F, "" },
	{ 0xFEFF, 0xFEFF, "" },    { 0xFFA0, 0xFFA0, "" },   { 0xFFF0, 0xFFF8, "" },
	{ 0x1BCA0, 0x1BCA3, "" },  { 0x1D173, 0x1D17A, "" }, { 0xE0000, 0xE0FFF, "" },
};

// Reads a UTF-8 code point. Returns its size in bytes; 1 for a byte that begins none.
static unsigned read_point(const char *at, uint32_t *ret_point)
{
	unsigned char first = (unsigned char)at[0];
	unsigned more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
	uint32_t point = more ? first & (0x3FU >> more) : first;
	for (unsigned i = 1; i <= more; i++) {
		if (((unsigned char)at[i] & 0xC0) != 0x80) {
			*ret_point = 0;
			return 1;
		}
		point = point << 6 | ((unsigned char)at[i] & 0x3F);
	}
	*ret_point = more ? point : 0;
	return 1 + more;
}

static const char *fold_of(uint32_t point)
{
	for (size_t i = 0; i < sizeof(folds) / sizeof(*folds); i++)
		if (point >= folds[i].from && point <= folds[i].to)
			return folds[i].text;
	return NULL;
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | ' ') : c;
}

bool component_fold(const char *path, char ret_folded[COMPONENT_MAX])
{
	size_t used = 0;
	while (*path && *path != '/') {
		uint32_t point;
		unsigned size = (unsigned char)*path < 0x80 ? 1 : read_point(path, &point);
		const char *text = (unsigned char)*path < 0x80 ? NULL : fold_of(point);
		size_t length = text ? strlen(text) : size;
		if (used + length >= COMPONENT_MAX)
			return false;
		memcpy(ret_folded + used, text ? text : path, length);
		if (!text && size == 1)
			ret_folded[used] = small(*path);
		used += length;
		path += size;
	}
	ret_folded[used] = '\0';
	return true;
}

bool component_matches(const char *folded, const char *name)
{
	return piece_matches((struct piece){ name, strcspn(name, "/") }, folded);
}

bool component_hash(const char *name, uint32_t *ret_hash)
{
	uint32_t hash = 2166136261U;
	for (; *name && *name != '/'; name++) {
		if ((unsigned char)*name >= 0x80)
			return false;
		hash = (hash ^ ((unsigned char)*name | 0x20U)) * 16777619U;
	}
	*ret_hash = hash ^ (hash >> 16);
	return true;
}

// Windows ignores dots and spaces at a name's end, and all after a colon or backslash. It also has
// short names with a number, such as git~1.
static bool is_spelled(const char *path, const char *name, const char *short_name)
{
	char folded[COMPONENT_MAX];
	const char *end = folded + strlen(name);
	bool begins = strchr(".gG", *path) || (unsigned char)*path >= 0x80;
	if (!begins || !component_fold(path, folded))
		return false;
	if (str_starts(folded, short_name)) {
		end = folded + strlen(short_name);
		end += strspn(end, "0123456789");
		if (end == folded + strlen(short_name))
			return false;
	} else if (!str_starts(folded, name)) {
		return false;
	}
	end += strspn(end, ". ");
	return *end == '\0' || *end == ':' || *end == '\\';
}

bool component_is_git(const char *path)
{
	return is_spelled(path, ".git", "git~");
}

bool component_is_modules(const char *path)
{
	return is_spelled(path, ".gitmodules", "gitmod~");
}
