// Owns the reading of Codex CLI's record of trusted hooks: config.toml, as version 0.169 writes it.
#include "agent/agent_settings.h"

#include <stdbool.h>
#include <string.h>

#include "base/base.h"

struct piece {
	const char *text;
	size_t length;
};

static struct piece trimmed(const char *text, size_t length)
{
	while (length && strchr(" \t\r", text[0]))
		text++, length--;
	while (length && strchr(" \t\r", text[length - 1]))
		length--;
	return (struct piece){ text, length };
}

static bool is(struct piece piece, const char *text)
{
	return piece.length == strlen(text) && memcmp(piece.text, text, piece.length) == 0;
}

static bool begins(struct piece piece, const char *text)
{
	return piece.length >= strlen(text) && memcmp(piece.text, text, strlen(text)) == 0;
}

enum hook_trust trust_of(struct arena *arena, const char *text, const char *file, unsigned entry,
			 unsigned hook)
{
	struct piece section = { "", 0 };
	const char *record =
		arena_text(arena, "hooks.state.\"%s:pre_tool_use:%u:%u\"", file, entry, hook);
	bool trusted = false, off = false;
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		struct piece line = trimmed(text, length);
		const char *equals = memchr(line.text, '=', line.length);
		if (begins(line, "[") && line.text[line.length - 1] == ']') {
			section = trimmed(line.text + 1, line.length - 2);
			continue;
		}
		if (!equals)
			continue;
		size_t before = (size_t)(equals - line.text);
		struct piece key = trimmed(line.text, before),
			     value = trimmed(equals + 1, line.length - before - 1);
		bool here = is(section, record);
		trusted |= here && is(key, "trusted_hash") && begins(value, "\"sha256:");
		off |= begins(value, "false") && ((here && is(key, "enabled")) ||
						  (is(section, "features") && is(key, "hooks")) ||
						  (is(section, "") && is(key, "features.hooks")));
	}
	return off ? HOOK_OFF : trusted ? HOOK_TRUSTED : HOOK_UNTRUSTED;
}
