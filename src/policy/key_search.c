// Owns the search in the table of keys, and the nearest known word.
#include <stdbool.h>
#include <string.h>

#include "base/base.h"
#include "policy/keys.h"
#include "text/words.h"

const struct key *key_find(const char *section, const char *name)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->section && str_equal(key->section, section) && str_equal(key->name, name))
			return key;
	return NULL;
}

static bool is_flag(const char *known, const char *flag, size_t length)
{
	return known && strlen(known) == length && memcmp(known, flag, length) == 0;
}

const struct key *key_find_flag(enum verb verb, const char *flag, size_t length)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if ((key->verbs & verb) && is_flag(key->flag, flag, length))
			return key;
	return NULL;
}

const struct key *key_begun_flag(enum verb verb, const char *flag, size_t length)
{
	const struct key *found = NULL;
	for (const struct key *key = keys; key < keys + key_count && length > 0; key++) {
		if (!(key->verbs & verb) || !key->flag || strncmp(key->flag, flag, length) != 0)
			continue;
		if (found)
			return NULL;
		found = key;
	}
	return found;
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
	for (const struct key *key = keys; key < keys + key_count; key++) {
		if (!key->section || !str_equal(key->section, section))
			continue;
		if (is_flag(key->flag, name, strlen(name)))
			return key->name;
		near_consider(&near, key->name);
	}
	return near.found;
}

const char *key_suggest_flag(enum verb verb, const char *flag)
{
	struct near near = { .word = flag };
	for (const struct key *key = keys; key < keys + key_count; key++) {
		if (!(key->verbs & verb))
			continue;
		if (key->section && key->flag && str_equal(key->name, flag))
			return key->flag;
		near_consider(&near, key->flag);
	}
	return near.found;
}

const char *key_suggest_section(const char *name)
{
	struct near near = { .word = name };
	for (unsigned i = 0; i < section_count; i++)
		near_consider(&near, sections[i].name);
	return near.found;
}
