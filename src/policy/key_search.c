// Owns the search in the table of keys, and what is near to a word that is in none of its rows.
#include <stdbool.h>
#include <string.h>

#include "text/near.h"
#include "base/str.h"
#include "policy/keys.h"

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
