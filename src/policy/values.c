// Owns the meaning of values: numbers, words, items. Pure but for the arena and the size of the
// machine.
#include "policy/keys.h"

#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/base.h"
#include "text/destination.h"
#include "text/words.h"

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
	// On the command line a path may be relative to the current directory.
	if (from.line == 0)
		return *text != '\0';
	return text[0] == '/' || text[0] == '$' || str_equal(text, ".") || str_starts(text, "./") ||
	       str_equal(text, "~") || str_starts(text, "~/");
}

static bool is_root(const char *text)
{
	return text[0] == '/' && text[strspn(text, "/.")] == '\0';
}

static const char root_words[] =
	"a path below /: to hide all, start from a profile without read lines";

static const char *pattern_problem(const char *text, struct origin from)
{
	return is_path(text, from) || str_starts(text, "**/")
		       ? NULL
		       : "a path that begins with /, ~/, ./ or $VAR, or a pattern **/NAME";
}

static bool is_file_name(const char *text)
{
	for (const char *at = text; *at; at++)
		if (*at == '/' || (*at >= 'A' && *at <= 'Z'))
			return false;
	return text[0] && !str_equal(text, ".") && !str_equal(text, "..");
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

static bool is_destination(const char *text, enum key_form form)
{
	struct destination destination;
	if (text[0] == '@')
		return is_name(text + 1, strlen(text + 1), "-");
	return destination_parse(text, &destination) && (form == FORM_RULE || !destination.suffix);
}

static bool is_publish(const char *text)
{
	uint16_t inside, outside;
	return destination_publish(text, &inside, &outside);
}

static bool is_budget(const char *text)
{
	struct destination destination;
	bool for_all;
	uint64_t most;
	return destination_budget(text, &destination, &for_all, &most);
}

static bool is_upstream(const char *text)
{
	struct host host;
	uint16_t port = 0;
	if (str_equal(text, "none"))
		return true;
	if (!str_starts(text, "http://"))
		return false;
	text += strlen("http://");
	size_t length = strcspn(text, "/");
	const char *at = memrchr(text, '@', length);
	const char *begin = at ? at + 1 : text;
	return host_parse_port(begin, length - (size_t)(begin - text), &host, &port) &&
	       (text[length] == '\0' || text[length + 1] == '\0');
}

static const char destination_words[] = "name[:port,...], *.domain, an address, network/prefix or "
					"@group; other letters than a-z as "
					"xn--...";

static bool is_assignment(const char *text)
{
	size_t name = strcspn(text, "=");
	return text[name] == '=' && is_name(text, name, "");
}

static const char *tmpfs_problem(struct arena *arena, const char *text, struct origin from)
{
	struct tmpfs_words words;
	if (!tmpfs_parse(text, &words))
		return "PATH, PATH:size=SIZE, PATH:mode=MODE or PATH:size=SIZE,mode=MODE; a mode "
		       "is octal, "
		       "1777 at most";
	return is_path(arena_copy(arena, text, words.path), from)
		       ? NULL
		       : "a path that begins with /, ~/, ./ or $VAR";
}

// Returns the expected form, or NULL if the text has it.
static const char *form_problem(struct arena *arena, enum key_form form, const char *text,
				struct origin from)
{
	unsigned long long number;
	switch (form) {
	case FORM_SESSION: // the store of sessions checks it
	case FORM_TEXT:
	case FORM_LANGUAGE:
		return NULL;
	case FORM_PATH:
		return is_path(text, from) ? NULL : "a path that begins with /, ~/, ./ or $VAR";
	case FORM_TMPFS:
		return tmpfs_problem(arena, text, from);
	case FORM_HIDDEN:
		return is_root(text) ? root_words : pattern_problem(text, from);
	case FORM_PATTERN:
		return pattern_problem(text, from);
	case FORM_NAME:
		return is_file_name(text) ? NULL : "a file's name in small letters, without '/'";
	case FORM_DEVICE:
		return is_device(text) ? NULL : "the name of a device in /dev";
	case FORM_PROFILE:
		return text[0] ? NULL : "the name of a profile, or a path with '/'";
	case FORM_VARIABLE:
		return is_name(text, strlen(text), "*") ? NULL : "the name of a variable";
	case FORM_ASSIGNMENT:
		return is_assignment(text) ? NULL : "NAME=VALUE; to pass your own: --pass-env NAME";
	case FORM_DESCRIPTOR:
		return str_number(text, strlen(text), 3, 1023, &number) ? NULL
									: "a number from 3 to 1023";
	case FORM_WORD:
		return is_name(text, strlen(text), "") ? NULL : "a name";
	case FORM_DESTINATION:
	case FORM_RULE:
		if (strstr(text, "://"))
			return "the host alone, without '://' and path: -a github.com";
		return is_destination(text, form) ? NULL : destination_words;
	case FORM_PORT:
		return str_number(text, strlen(text), 1, 65535, &number) ? NULL
									 : "a port from 1 to 65535";
	case FORM_PUBLISH:
		return is_publish(text) ? NULL
					: "PORT, PORT:HOST-PORT or PORT:auto, each from 1 to 65535";
	case FORM_BUDGET:
		return is_budget(text)
			       ? NULL
			       : "a size such as 10M, or a host and a size: 'example.com 10M'";
	case FORM_UPSTREAM:
		return is_upstream(text) ? NULL : "http://host:port or none";
	case FORM_HOSTNAME:
		return is_hostname(text) ? NULL : "letters, digits, '-' and '.', at most 64";
	}
	return "something else";
}

static int expected(struct arena *arena, const struct key *key, const char *text,
		    struct origin from, const char *what)
{
	const char *subject = from.line == 0 || !key->section
				      ? ""
				      : arena_text(arena, "[%s] %s: ", key->section, key->name);
	return fail(0, "%s%s'%.80s' is not valid, expected %s", origin_text(arena, from), subject,
		    str_shown(text), what);
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

static const struct number_row {
	const char *shape;
	bool (*read)(const char *text, uint64_t *ret_number);
	enum unit unit;
} number_rows[] = {
	[KEY_SIZE] = { "a size such as 64K, 512M, 2G or unlimited", units_size, UNIT_SIZE },
	[KEY_TIME] = { "a time such as 500ms, 30s, 5m, 2h or unlimited", units_time, UNIT_TIME },
	[KEY_COUNT] = { "a number or unlimited", units_count, UNIT_COUNT },
	[KEY_MEMORY] = { "a size such as 512M, 2G, a share such as 50% or unlimited", units_size,
			 UNIT_SIZE },
	[KEY_PROCESSORS] = { "a number such as 2, 1.5, 0.25 or unlimited", units_processors,
			     UNIT_PROCESSORS },
};

enum unit value_unit(const struct key *key)
{
	return number_rows[key->kind].unit;
}

// Returns what the machine has, or UNLIMITED.
static uint64_t host_has(enum key_kind kind)
{
	struct sysinfo info;
	if (kind == KEY_PROCESSORS)
		return (uint64_t)sysconf(_SC_NPROCESSORS_CONF) * 1000;
	if (kind != KEY_MEMORY || sysinfo(&info) < 0)
		return UNLIMITED;
	return (uint64_t)info.totalram * info.mem_unit;
}

static int set_number(const struct key *key, struct profile *profile, void *field,
		      struct arena *arena, const char *text, struct origin from)
{
	const struct number_row *row = &number_rows[key->kind];
	char low[32], high[32];
	uint64_t number, percent, host = UNLIMITED;
	bool soft = key->soft && text[0] == '?';
	const char *digits = text + soft;
	if (key->kind == KEY_MEMORY && units_percent(digits, &percent))
		number = host_has(KEY_MEMORY) / 100 * percent >> 20 << 20;
	else if (!row->read(digits, &number))
		return expected(arena, key, text, from, row->shape);
	if (number != UNLIMITED && (number < key->low || number > key->high)) {
		units_text(low, sizeof(low), key->low, row->unit);
		units_text(high, sizeof(high), key->high, row->unit);
		return expected(arena, key, text, from,
				arena_text(arena, "%s; from %s to %s", row->shape, low, high));
	}
	if (number != UNLIMITED && !soft)
		host = host_has(key->kind);
	if (number != UNLIMITED && number > host) {
		units_rough(high, sizeof(high), host, UNIT_SIZE);
		if (key->kind == KEY_PROCESSORS)
			units_text(high, sizeof(high), host, UNIT_PROCESSORS);
		return expected(arena, key, text, from,
				arena_text(arena, "at most as much as this machine has: %s", high));
	}
	memcpy(field, &number, sizeof(number));
	if (key->soft)
		profile->limits.soft =
			soft ? profile->limits.soft | key->soft : profile->limits.soft & ~key->soft;
	return 0;
}

// True for a form whose values may be written as a,b,c: they have no comma, except between a host's
// ports.
static bool is_written_in_one(enum key_form form, const char *text)
{
	static const enum key_form forms[] = { FORM_PROFILE,  FORM_RULE,   FORM_DESTINATION,
					       FORM_VARIABLE, FORM_PORT,   FORM_PUBLISH,
					       FORM_WORD,     FORM_DEVICE, FORM_DESCRIPTOR };
	if (form == FORM_PROFILE && strchr(text, '/'))
		return false;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (form == forms[i])
			return true;
	return false;
}

// Returns the length of the first item of a,b,c. Numbers after a host are its ports:
// a.com:80,443,b.com.
static size_t first_item(enum key_form form, const char *text)
{
	size_t length = strcspn(text, ",");
	bool host = form == FORM_RULE || form == FORM_DESTINATION;
	while (host && text[length] == ',') {
		size_t digits = strspn(text + length + 1, "0123456789");
		const char *end = text + length + 1 + digits;
		if (*end && *end != ',' && *end != '/')
			break;
		length += 1 + strcspn(text + length + 1, ",");
	}
	return length;
}

static int set_item(const struct key *key, struct list *list, struct arena *arena, const char *text,
		    struct origin from)
{
	if (text[0] == '\0' && from.line != 0) {
		*list = (struct list){ 0 };
		return 0;
	}
	const char *problem = form_problem(arena, key->form, text, from);
	if (problem)
		return expected(arena, key, text, from, problem);
	list_add(list, arena, text, from);
	return 0;
}

// Splits a,b,c on the command line. A profile has one item a line.
static int set_items(const struct key *key, struct list *list, struct arena *arena,
		     const char *text, struct origin from)
{
	while (from.line == 0 && is_written_in_one(key->form, text)) {
		size_t length = first_item(key->form, text);
		if (text[length] == '\0')
			break;
		TRY(set_item(key, list, arena, arena_copy(arena, text, length), from));
		text += length + 1;
	}
	return set_item(key, list, arena, text, from);
}

int value_set(const struct key *key, void *object, struct arena *arena, const char *text,
	      struct origin from)
{
	void *field = (char *)object + key->offset;
	const char *problem;
	enum toggle yes = TOGGLE_YES;
	if (text && !str_printable(text) && key->form != FORM_TEXT && key->form != FORM_ASSIGNMENT)
		return expected(arena, key, text, from, "text without control bytes");
	switch (key->kind) {
	case KEY_LIST:
		return set_items(key, field, arena, text, from);
	case KEY_TEXT:
		problem = form_problem(arena, key->form, text, from);
		if (problem)
			return expected(arena, key, text, from, problem);
		memcpy(field, &text, sizeof(text));
		return 0;
	case KEY_WORD:
		return set_word(key, field, arena, text, from);
	case KEY_SIZE:
	case KEY_TIME:
	case KEY_COUNT:
	case KEY_MEMORY:
	case KEY_PROCESSORS:
		return set_number(key, object, field, arena, text, from);
	case KEY_SWITCH:
		memcpy(field, &yes, sizeof(yes));
		return 0;
	}
	return fail(0, "key '%s' has no kind", key->name);
}
