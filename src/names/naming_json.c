// Owns the order in which the strings of a JSON text are read for names.
#include "names/naming_json.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "names/mentions.h"
#include "names/naming.h"
#include "text/json.h"

// One with blanks in it stands in quotes, as in a file.
static void put_string(struct out *out, const struct json *value, const char *before)
{
	out_text(out, "%s\"%s\" ", before, value->string);
}

// A list of directories of programs is called *PATH.
static const char *before_value(const char *key)
{
	return strstr(key, "PATH") ? "PATH " : "";
}

// A command and its arguments, on one line, in whichever order they stand.
static void put_command(struct out *out, const struct json *object)
{
	static const char *const commands[] = { "command", "program", "runtimeExecutable", "cmd" };
	const struct json *arguments = json_member(object, "args");
	for (size_t i = 0; arguments && i < sizeof(commands) / sizeof(*commands); i++) {
		const struct json *command = json_member(object, commands[i]);
		if (!command || command->type != JSON_STRING || arguments->type != JSON_ARRAY)
			continue;
		put_string(out, command, "");
		for (const struct json *one = arguments->first; one; one = one->next)
			if (one->type == JSON_STRING)
				put_string(out, one, "");
		out_text(out, "\n");
	}
}

// A member or an object ends a line. Some keys are paths.
static void put_value(struct out *out, const struct json *value, const char *before)
{
	if (value->type == JSON_STRING)
		put_string(out, value, before);
	if (value->type == JSON_OBJECT)
		put_command(out, value);
	for (const struct json *child = value->first; child; child = child->next) {
		if (child->key && strchr(child->key, '/'))
			out_text(out, "%s\n", child->key);
		put_value(out, child, child->key ? before_value(child->key) : before);
		if (child->key || child->type == JSON_OBJECT)
			out_text(out, "\n");
	}
}

// What hooks run that stand, and what runs with no other word than "install".
static void put_scripts(struct out *out, const struct json *root, const char *keys)
{
	static const char hooks[] = " husky lint-staged simple-git-hooks pre-commit pre-push "
				    "gitHooks ghooks nano-staged commitlint ";
	const struct json *scripts = json_member(root, "scripts");
	for (const struct json *one = scripts && scripts->type == JSON_OBJECT ? scripts->first
									      : NULL;
	     one; one = one->next)
		if (one->type == JSON_STRING && str_has_word(keys, one->key, strlen(one->key)))
			out_text(out, "%s\n", one->string);
	for (const struct json *one = root->type == JSON_OBJECT ? root->first : NULL; one;
	     one = one->next)
		if (str_has_word(hooks, one->key, strlen(one->key))) {
			put_value(out, one, "");
			out_text(out, "\n");
		}
}

bool naming_json(struct mentions *mentions, const struct naming_row *settings, const char *text,
		 size_t length)
{
	enum { EACH = 64, MORE = 1 << 16 };
	// A tree of JSON takes more memory than its text, and is not needed when the names are
	// passed on.
	struct arena *arena = arena_new_own(length * EACH + MORE);
	struct json *root = NULL;
	struct out out = { 0 };
	bool good = ATTEMPT(json_parse(arena, text, length, &root)) == 0;
	if (good && settings->form == NAMING_JSON)
		put_value(&out, root, "");
	else if (good)
		put_scripts(&out, root, settings->keys);
	arena_free(arena);
	if (out.used > 0)
		mentions_text(mentions, out.text, out.used);
	out_free(&out);
	return good;
}
