// Owns the names of members (LSP 3.17; sections are named by their titles).
#include "lsp/lsp.h"

#include <string.h>

#include "base/base.h"

static const struct {
	const char *name; // in small letters: some readers of JSON take any case
	enum member key;
} keys[] = {
	{ "method", KEY_METHOD },
	{ "id", KEY_ID },
	{ "params", KEY_PARAMS },
	{ "result", KEY_RESULT },
	{ "capabilities", KEY_CAPABILITIES },
	{ "executecommandprovider", KEY_PROVIDER },
	{ "commands", KEY_COMMANDS },
	{ "changes", KEY_CHANGES },                  // WorkspaceEdit
	{ "documentchanges", KEY_DOCUMENT_CHANGES }, // WorkspaceEdit
	{ "data", KEY_DATA },
	{ "command", KEY_COMMAND }, // Command
	{ "target", KEY_LINK },     // DocumentLink
	{ "href", KEY_LINK },       // CodeDescription
	{ "uri", KEY_URI },
	{ "olduri", KEY_OTHER_URI },
	{ "newuri", KEY_OTHER_URI },
	{ "external", KEY_EXTERNAL },
	{ "processid", KEY_PROCESS },
};

static const struct {
	enum standing around;
	enum member key;
	enum standing inside;
} places[] = {
	{ IN_MESSAGE, KEY_PARAMS, IN_PARAMS },
	{ IN_MESSAGE, KEY_RESULT, IN_RESULT },
	{ IN_RESULT, KEY_CAPABILITIES, IN_CAPABILITIES },
	{ IN_CAPABILITIES, KEY_PROVIDER, IN_PROVIDER },
	{ IN_PROVIDER, KEY_COMMANDS, IN_COMMANDS },
};

// Small, as readers that fold case have it: also of the two letters beyond ASCII that fold to one
// in it (U+017F is an s, U+212A a k).
static void fold(char *name)
{
	char *to = name;
	for (const char *at = name; *at;) {
		bool long_s = strncmp(at, "\xc5\xbf", 2) == 0;
		bool kelvin = strncmp(at, "\xe2\x84\xaa", 3) == 0;
		*to++ = long_s                     ? 's'
			: kelvin                   ? 'k'
			: *at >= 'A' && *at <= 'Z' ? (char)(*at | ' ')
						   : *at;
		at += long_s ? 2 : kelvin ? 3 : 1;
	}
	*to = '\0';
}

enum member member_of(const struct json_step *step)
{
	enum { LONGEST = 96 };
	char name[LONGEST];
	size_t length = step->key ? json_decode(step->key, step->key_length, name, LONGEST) : 0;
	if (length == 0 || length >= LONGEST)
		return KEY_OTHER;
	fold(name); // up to a NUL: some readers see no more
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (str_equal(keys[i].name, name))
			return keys[i].key;
	return KEY_OTHER;
}

enum standing member_inside(enum standing around, enum member key, enum walk_kind kind)
{
	if (around == IN_DOCUMENT_CHANGES || around == IN_DATA)
		return around;
	if (around == IN_CHANGES)
		return IN_OTHER;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (places[i].around == around && places[i].key == key)
			return places[i].inside;
	if (key == KEY_CHANGES && kind == WALK_OBJECT)
		return IN_CHANGES;
	if (key == KEY_DOCUMENT_CHANGES)
		return IN_DOCUMENT_CHANGES;
	return key == KEY_DATA ? IN_DATA : IN_OTHER;
}
