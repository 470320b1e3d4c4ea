// Owns the meaning of values: numbers with units, words, items. Pure but for the arena.
#include "policy/values.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "policy/keys.h"

struct unit {
	const char *suffix;
	uint64_t factor;
};

static const struct unit sizes[] = {
	{ "K", 1ULL << 10 }, { "M", 1ULL << 20 }, { "G", 1ULL << 30 }, { "T", 1ULL << 40 }, { "", 1 },
};
static const struct unit times[] = {
	{ "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 },
};

static bool with_unit(const char *text, const struct unit *units, size_t count, uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long long number;
	if (str_equal(text, "unlimited")) {
		*ret = UNLIMITED;
		return true;
	}
	for (size_t i = 0; i < count; i++) {
		if (!str_equal(text + digits, units[i].suffix))
			continue;
		if (!str_number(text, digits, 0, (UNLIMITED - 1) / units[i].factor, &number))
			return false;
		*ret = number * units[i].factor;
		return true;
	}
	return false;
}

bool value_size(const char *text, uint64_t *ret_bytes)
{
	return with_unit(text, sizes, sizeof(sizes) / sizeof(*sizes), ret_bytes);
}

bool value_time(const char *text, uint64_t *ret_milliseconds)
{
	return with_unit(text, times, sizeof(times) / sizeof(*times), ret_milliseconds);
}

static bool value_count(const char *text, uint64_t *ret)
{
	static const struct unit plain = { "", 1 };
	return with_unit(text, &plain, 1, ret);
}

static bool is_name(const char *text, size_t length, const char *more)
{
	for (size_t i = 0; i < length; i++) {
		char c = text[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		bool digit = c >= '0' && c <= '9';
		if (!letter && !(digit && i > 0) && !strchr(more, c))
			return false;
	}
	return length > 0;
}

static bool is_path(const char *text, struct origin from)
{
	text += text[0] == '?';
	// On the command line a path is relative to the current directory, as everywhere.
	if (from.line == 0)
		return *text != '\0';
	return text[0] == '/' || text[0] == '$' || str_equal(text, ".") || str_starts(text, "./") ||
	       str_equal(text, "~") || str_starts(text, "~/");
}

static bool is_device(const char *text)
{
	text += text[0] == '?';
	text += str_starts(text, "/dev/") ? strlen("/dev/") : 0;
	return text[0] && text[0] != '/' && !strstr(text, "..") && strlen(text) < 64;
}

static bool is_hostname(const char *text)
{
	static const char digits[] = "0123456789-.";
	return strlen(text) <= 64 && text[0] != '-' && text[0] != '.' &&
	       is_name(text, strlen(text), digits);
}

// NULL when the item is well-formed, else what was expected.
static const char *form_problem(enum key_form form, const char *text, struct origin from)
{
	unsigned long long number;
	switch (form) {
	case FORM_TEXT:
		return NULL;
	case FORM_PATH:
		return is_path(text, from) ? NULL : "a path that begins with /, ~/, ./ or $VAR";
	case FORM_PATTERN:
		return is_path(text, from) || str_starts(text, "**/") ?
			       NULL :
			       "a path that begins with /, ~/, ./ or $VAR, or a pattern **/NAME";
	case FORM_DEVICE:
		return is_device(text) ? NULL : "the name of a device in /dev";
	case FORM_PROFILE:
		return text[0] ? NULL : "the name of a profile, or a path with '/'";
	case FORM_VARIABLE:
		return is_name(text, strlen(text), "*") ? NULL : "the name of a variable";
	case FORM_ASSIGNMENT: {
		size_t name = strcspn(text, "=");
		return text[name] == '=' && is_name(text, name, "") ? NULL : "NAME=VALUE";
	}
	case FORM_DESCRIPTOR:
		return str_number(text, strlen(text), 3, 1023, &number) ? NULL : "a number from 3 to 1023";
	case FORM_WORD:
		return is_name(text, strlen(text), "") ? NULL : "a name";
	case FORM_HOSTNAME:
		return is_hostname(text) ? NULL : "letters, digits, '-' and '.', at most 64";
	}
	return "something else";
}

static int expected(struct arena *arena, const struct key *key, const char *text,
		    struct origin from, const char *what)
{
	const char *subject = from.line == 0 || !key->section ?
				      "" :
				      arena_text(arena, "[%s] %s: ", key->section, key->name);
	return fail(0, "%s%s'%.80s' is not valid, expected %s", origin_text(arena, from), subject,
		    str_printable(text) ? text : "(control bytes)", what);
}

static int set_word(const struct key *key, void *field, struct arena *arena, const char *text,
		    struct origin from)
{
	for (unsigned word = 0; key->words[word]; word++) {
		if (!str_equal(key->words[word], text))
			continue;
		memcpy(field, &word, sizeof(word)); // every enum of the profile is an unsigned int
		return 0;
	}
	return expected(arena, key, text, from, key->value);
}

static int set_number(const struct key *key, void *field, struct arena *arena, const char *text,
		      struct origin from)
{
	static const char *const shapes[] = {
		[KEY_SIZE] = "a size such as 64K, 512M, 2G or unlimited",
		[KEY_TIME] = "a time such as 500ms, 30s, 5m, 2h or unlimited",
		[KEY_COUNT] = "a number or unlimited",
	};
	uint64_t number;
	bool parsed = key->kind == KEY_SIZE ? value_size(text, &number) :
		      key->kind == KEY_TIME ? value_time(text, &number) :
					      value_count(text, &number);
	if (!parsed)
		return expected(arena, key, text, from, shapes[key->kind]);
	if (number != UNLIMITED && (number < key->low || number > key->high))
		return expected(arena, key, text, from,
				arena_text(arena, "%s from %llu to %llu%s", shapes[key->kind],
					   (unsigned long long)key->low, (unsigned long long)key->high,
					   key->kind == KEY_TIME ? " ms" : ""));
	memcpy(field, &number, sizeof(number));
	return 0;
}

static int set_item(const struct key *key, struct list *list, struct arena *arena, const char *text,
		    struct origin from)
{
	if (text[0] == '\0' && from.line != 0) {
		*list = (struct list){ 0 };
		return 0;
	}
	const char *problem = form_problem(key->form, text, from);
	if (problem)
		return expected(arena, key, text, from, problem);
	list_add(list, arena, text, from);
	return 0;
}

int value_set(const struct key *key, void *object, struct arena *arena, const char *text,
	      struct origin from)
{
	void *field = (char *)object + key->offset;
	const char *problem;
	enum answer yes = ANSWER_YES;
	if (text && !str_printable(text) && key->form != FORM_TEXT && key->form != FORM_ASSIGNMENT)
		return expected(arena, key, text, from, "text without control bytes");
	switch (key->kind) {
	case KEY_LIST:
		return set_item(key, field, arena, text, from);
	case KEY_TEXT:
		problem = form_problem(key->form, text, from);
		if (problem)
			return expected(arena, key, text, from, problem);
		memcpy(field, &text, sizeof(text));
		return 0;
	case KEY_WORD:
		return set_word(key, field, arena, text, from);
	case KEY_SIZE:
	case KEY_TIME:
	case KEY_COUNT:
		return set_number(key, field, arena, text, from);
	case KEY_SWITCH:
		memcpy(field, &yes, sizeof(yes));
		return 0;
	}
	return fail(0, "key '%s' has no kind", key->name);
}
