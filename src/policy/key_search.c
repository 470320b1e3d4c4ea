// Owns the search in the table of keys, and the word that is nearest to one in none of its rows:
// another word, or an old name.
#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "policy/keys.h"
#include "text/near.h"

static const struct key *find_key(const char *section, const char *name)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->section && str_equal(key->section, section) && str_equal(key->name, name))
			return key;
	return NULL;
}

const struct key *key_find(const char *section, const char *name)
{
	bool gone;
	const struct key *key = find_key(section, name);
	if (key)
		return key;
	const char *now = renamed_key(section, name, &gone);
	return now && !gone ? find_key(section, now) : NULL;
}

static bool is_flag(const char *known, const char *flag, size_t length)
{
	return known && strlen(known) == length && memcmp(known, flag, length) == 0;
}

static const struct key *find_flag(enum verb verb, const char *flag, size_t length)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if ((key->verbs & verb) &&
		    (is_flag(key->flag, flag, length) || is_flag(key->short_flag, flag, length)))
			return key;
	return NULL;
}

const struct key *key_find_flag(enum verb verb, const char *flag, size_t length)
{
	bool gone;
	const struct key *key = find_flag(verb, flag, length);
	if (key)
		return key;
	const char *now = renamed_flag(flag, length, &gone);
	return now && !gone ? find_flag(verb, now, strlen(now)) : NULL;
}

const struct key *key_find_letter(enum verb verb, char letter)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->letter && (key->verbs & verb) && key->letter == letter)
			return key;
	return NULL;
}

const char *key_suggest(const char *section, const char *name)
{
	struct near near = { .word = name };
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->section && str_equal(key->section, section))
			near_consider(&near, key->name);
	return near.found;
}

const char *key_suggest_flag(enum verb verb, const char *flag)
{
	struct near near = { .word = flag };
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->verbs & verb)
			near_consider(&near, key->flag);
	return near.found;
}

const char *key_suggest_section(const char *name)
{
	struct near near = { .word = name };
	for (unsigned i = 0; i < section_count; i++)
		near_consider(&near, sections[i].name);
	return near.found;
}

enum renamed_kind { KIND_BOTH, KIND_FLAG, KIND_WORD, KIND_GONE, KIND_VERB, KIND_ACTION };

static const struct renamed {
	enum renamed_kind kind;
	const char *of, *old, *now; // of a section, a flag or a verb
} renamed[] = {
#define BOTH(section, old, now)        { KIND_BOTH, section, old, now },
#define FLAG(old, now)                 { KIND_FLAG, "", old, now },
#define WORD(flag, old, now)           { KIND_WORD, flag, old, now },
#define GONE(section, old, now)        { KIND_GONE, section, old, now },
#define GONE_VERB(old, now)            { KIND_VERB, "", old, now },
#define GONE_ACTION(verb, old, advice) { KIND_ACTION, verb, old, advice },
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

const char *renamed_action(const char *verb, const char *action)
{
	const struct renamed *row = find(1U << KIND_ACTION, verb, action, strlen(action));
	return row ? row->now : NULL;
}
