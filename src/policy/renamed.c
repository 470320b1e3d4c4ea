// Owns the names that an earlier version had.
#include "policy/keys.h"

#include <string.h>

#include "base/str.h"

enum renamed_kind { KIND_BOTH, KIND_FLAG, KIND_WORD, KIND_GONE, KIND_VERB };

static const struct renamed {
	enum renamed_kind kind;
	const char *of, *old, *now; // of a section, or of a flag
} renamed[] = {
#define BOTH(section, old, now) { KIND_BOTH, section, old, now },
#define FLAG(old, now)          { KIND_FLAG, "", old, now },
#define WORD(flag, old, now)    { KIND_WORD, flag, old, now },
#define GONE(section, old, now) { KIND_GONE, section, old, now },
#define GONE_VERB(old, now)     { KIND_VERB, "", old, now },
#include "policy/renamed.def"
};

enum { RENAMED_COUNT = sizeof(renamed) / sizeof(*renamed) };

// `of` NULL: whatever it belongs to.
static const struct renamed *find(unsigned kinds, const char *of, const char *old, size_t length)
{
	for (const struct renamed *row = renamed; row < renamed + RENAMED_COUNT; row++)
		if ((kinds & 1U << row->kind) && (!of || str_equal(row->of, of)) &&
		    strlen(row->old) == length && memcmp(row->old, old, length) == 0)
			return row;
	return NULL;
}

const char *renamed_key(const char *section, const char *name, bool *ret_gone)
{
	const struct renamed *row =
		find(1U << KIND_BOTH | 1U << KIND_GONE, section, name, strlen(name));
	*ret_gone = row && row->kind == KIND_GONE;
	return row ? row->now : NULL;
}

const char *renamed_flag(const char *flag, size_t length, bool *ret_gone)
{
	const struct renamed *row =
		find(1U << KIND_BOTH | 1U << KIND_FLAG | 1U << KIND_GONE, NULL, flag, length);
	*ret_gone = row && row->kind == KIND_GONE;
	return row ? row->now : NULL;
}

const char *renamed_word(const char *flag, const char *word)
{
	const struct renamed *row = find(1U << KIND_WORD, flag, word, strlen(word));
	return row ? row->now : NULL;
}

const char *renamed_verb(const char *verb)
{
	const struct renamed *row = find(1U << KIND_VERB, NULL, verb, strlen(verb));
	return row ? row->now : NULL;
}
