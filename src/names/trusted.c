// Owns the comparison of paths with the names that the host later runs or trusts.
#include "names/names.h"

#include "base/base.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "git/git.h"
#include "text/words.h"

const char *const trusted_words[TRUSTED_ANSWERS] = { "wall", "tell", "ignore", "place",
						     "home", "path", "whole" };

const char *trusted_name(const struct trusted_row *row)
{
	return trusted_text + row->name;
}

static const char *next_part(const char *path)
{
	const char *slash = strchr(path, '/');
	return slash ? slash + 1 : NULL;
}

bool trusted_begins(const struct trusted_row *row, const char *name)
{
	char folded[COMPONENT_MAX];
	return component_fold(name, folded) && component_matches(folded, trusted_name(row));
}

static bool is_pattern(const char *folded, enum trusted_answer answer)
{
	const struct trusted_row *first = trusted_rows + trusted_first[answer],
				 *row = trusted_rows + trusted_first[answer + 1];
	const char begins = folded[0], ends = begins ? folded[strlen(folded) - 1] : begins;
	while (row-- > first && row->pattern)
		if ((!row->begins || row->begins == begins) && (!row->ends || row->ends == ends) &&
		    component_matches(folded, trusted_name(row)))
			return true;
	return false;
}

static bool may_be_pattern(const char *folded)
{
	size_t length = strlen(folded);
	return (length > 0 && trusted_bit(trusted_begins_with, trusted_pair(folded))) ||
	       (length > 1 && trusted_bit(trusted_ends_with, trusted_pair(folded + length - 2)));
}

bool trusted_may_begin(const char *name)
{
	char folded[COMPONENT_MAX];
	uint32_t hash;
	if (!component_hash(name, &hash))
		return true;
	if (trusted_bit(trusted_bits, hash % TRUSTED_BITS) &&
	    trusted_bit(trusted_bits, (hash >> 16) % TRUSTED_BITS))
		return true;
	return component_fold(name, folded) && may_be_pattern(folded) &&
	       (is_pattern(folded, TRUSTED_WALL) || is_pattern(folded, TRUSTED_TELL));
}

struct trusted_fit trusted_fit(const char *path)
{
	enum { PARTS_MAX = 4 };
	char folded[PARTS_MAX][COMPONENT_MAX];
	struct trusted_fit fit = { NULL, NULL };
	unsigned count = 0;
	if (!trusted_may_begin(path))
		return fit;
	for (; path && count < PARTS_MAX; path = next_part(path))
		if (!component_fold(path, folded[count++]))
			return fit;
	const struct trusted_row *row = trusted_rows + trusted_first[TRUSTED_WALL];
	for (; !path && row < trusted_rows + trusted_first[TRUSTED_TELL + 1]; row++) {
		const char *name = trusted_name(row);
		unsigned i = 0;
		if (row->begins && row->begins != folded[0][0])
			continue;
		for (; i < count && name && component_matches(folded[i], name); i++)
			name = next_part(name);
		if (i == count && !name)
			fit.row = fit.row ? fit.row : row;
		else if (i == count)
			fit.below = fit.below ? fit.below : row;
	}
	return fit;
}

static bool has_row(const char *path, const struct trusted_row *row)
{
	char folded[COMPONENT_MAX];
	for (const char *name = trusted_name(row); name; name = next_part(name)) {
		if (!path || !component_fold(path, folded) || !component_matches(folded, name))
			return false;
		path = next_part(path);
	}
	return true;
}

static const struct trusted_row *find_at(const char *path, enum trusted_answer answer)
{
	if (trusted_may_begin(path))
		trusted_each (row, answer)
			if (has_row(path, row))
				return row;
	return NULL;
}

const struct trusted_row *trusted_find(const char *path)
{
	static const enum trusted_answer answers[] = { TRUSTED_WALL, TRUSTED_TELL };
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		for (const char *part = path; part; part = next_part(part)) {
			const struct trusted_row *row = find_at(part, answers[i]);
			if (row)
				return row;
		}
	return NULL;
}

bool trusted_is_reported(const char *path)
{
	for (const char *part = path; part; part = next_part(part))
		if (find_at(part, TRUSTED_TELL))
			return true;
	return false;
}

bool trusted_is_protected(const char *path)
{
	for (const char *part = path; part; part = next_part(part)) {
		if (component_is_git(part))
			return next_part(part) && layout_acts(next_part(part));
		if (find_at(part, TRUSTED_WALL))
			return true;
	}
	return false;
}

bool trusted_is_installed(const char *path)
{
	trusted_each (row, TRUSTED_IGNORE) {
		size_t length = strlen(trusted_name(row));
		for (const char *at = path; (at = strstr(at, trusted_name(row))); at++)
			if ((at == path || at[-1] == '/') && at[length] == '/')
				return true;
	}
	return false;
}

bool trusted_is_deeper(const char *path)
{
	const char *name = path_name(path);
	if (!trusted_may_begin(name) || trusted_is_installed(path))
		return false;
	trusted_each (row, TRUSTED_WALL)
		if (trusted_begins(row, name))
			return true;
	return false;
}

bool trusted_is_below(const char *path)
{
	char folded[COMPONENT_MAX];
	const char *name = path_name(path);
	if (!trusted_may_begin(name) || !component_fold(name, folded) || trusted_is_installed(path))
		return false;
	trusted_each (row, TRUSTED_TELL)
		if (row->below && component_matches(folded, trusted_name(row)))
			return true;
	return false;
}

bool trusted_keeps(const char *path)
{
	const char *name = path_name(path);
	return trusted_may_begin(name) && (trusted_is_deeper(path) || trusted_is_below(path));
}

bool trusted_is_opened(const char *name)
{
	return str_has_word(".gitattributes .gitignore .gitmodules .mailmap", name, strlen(name));
}
