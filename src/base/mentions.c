// Owns the table of such settings, and the search for names of files in their text.
#include "base/mentions.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/gitconfig.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"

const struct mentions_settings mentions_settings[] = {
	{ ".envrc", MENTIONS_DIRENV, NULL },
	{ "mise.toml", MENTIONS_TEXT, NULL },
	{ ".mise.toml", MENTIONS_TEXT, NULL },
	{ "mise.local.toml", MENTIONS_TEXT, NULL },
	{ ".mise.local.toml", MENTIONS_TEXT, NULL },
	{ ".mise/config.toml", MENTIONS_TEXT, NULL },
	{ ".config/mise.toml", MENTIONS_TEXT, NULL },
	{ ".config/mise/config.toml", MENTIONS_TEXT, NULL },
	{ "mise/config.toml", MENTIONS_TEXT, NULL },
	{ ".gdbinit", MENTIONS_TEXT, NULL },
	{ ".lldbinit", MENTIONS_TEXT, NULL },
	{ ".mcp.json", MENTIONS_TEXT, NULL },
	{ ".cursor/mcp.json", MENTIONS_TEXT, NULL },
	{ ".cursor/hooks.json", MENTIONS_TEXT, NULL },
	{ ".vscode/mcp.json", MENTIONS_TEXT, NULL },
	{ ".vscode/tasks.json", MENTIONS_TEXT, NULL },
	{ ".claude/settings.json", MENTIONS_TEXT, NULL },
	{ ".claude/settings.local.json", MENTIONS_TEXT, NULL },
	{ ".codex/config.toml", MENTIONS_TEXT, NULL },
	{ ".gemini/settings.json", MENTIONS_TEXT, NULL },
	{ ".qwen/settings.json", MENTIONS_TEXT, NULL },
	{ "opencode.json", MENTIONS_TEXT, NULL },
	{ ".devcontainer/devcontainer.json", MENTIONS_TEXT, NULL },
	{ ".devcontainer.json", MENTIONS_TEXT, NULL },
	{ ".yarnrc", MENTIONS_LINES, " yarn-path script-shell " },
	{ "lefthook-local.yml", MENTIONS_LINES, " run runner " },
	{ ".lefthook-local.yml", MENTIONS_LINES, " run runner " },
	{ "lefthook.yml", MENTIONS_LINES, " run runner " },
	{ "lefthook.yaml", MENTIONS_LINES, " run runner " },
	{ ".lefthook.yml", MENTIONS_LINES, " run runner " },
	{ ".pre-commit-config.yaml", MENTIONS_LINES, " entry " },
	{ ".yarnrc.yml", MENTIONS_LINES, " yarnPath path " },
	{ ".npmrc", MENTIONS_LINES, " script-shell node-options shell git " },
	{ "package.json", MENTIONS_SCRIPTS, NULL },
};
const unsigned mentions_settings_count = sizeof(mentions_settings) / sizeof(*mentions_settings);

const char *mentions_below(struct arena *arena, const char *base, const char *name)
{
	name += strspn(name, "/");
	return name[0] ? path_clean(arena, path_below(arena, base, name)) : NULL;
}

static bool is_of(const char *word, const char *words)
{
	char padded[64];
	return snprintf(padded, sizeof(padded), " %s ", word) < (int)sizeof(padded) &&
	       strstr(words, padded);
}

static void pass_on(struct mentions *mentions, const char *name, enum mention kind)
{
	if (mentions->words++ < MENTIONS_MOST)
		mentions->found(mentions, name, kind);
}

// How far a text was read, and what stood before.
struct reading {
	struct mentions *mentions;
	char *text;
	size_t length, at;
	bool variable;    // the word stands right behind a '$'
	bool of_path;     // the line speaks of a list of directories of programs
	bool interpreter; // the word before runs what comes behind it
	int open;         // brackets
};

// Bytes of UTF-8 are letters.
static bool is_of_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80 || (c && strchr("_.-+@/", c));
}

static bool is_interpreter(const char *word)
{
	const char *name = strrchr(word, '/');
	return is_of(name ? name + 1 : word,
		     " . sh bash dash zsh ksh source exec env node deno bun python python3 perl "
		     "ruby php lua source_env source_env_if_exists ");
}

static void take_word(struct reading *reading, const char *word, char after)
{
	const char *name = reading->variable && strchr(word, '/') ? strchr(word, '/') : word;
	bool all = after == '*' && str_ends(word, "/");
	if (is_interpreter(word)) {
		reading->interpreter = true;
		return;
	}
	if (strpbrk(name, "./") || reading->of_path || reading->interpreter)
		pass_on(reading->mentions, name,
			reading->of_path || all ? MENTION_PROGRAMS : MENTION_FILE);
	reading->of_path = reading->of_path || strcasestr(word, "path");
	reading->interpreter = reading->interpreter && word[0] == '-';
}

// A name with blanks stands in quotes: all between two on a line.
static void take_quoted(struct reading *reading, size_t from)
{
	char *text = reading->text;
	size_t end = from;
	bool odd = false;
	while (end < reading->length && text[end] != '\n' && text[end] != text[from - 1]) {
		odd = odd || !is_of_word(text[end]);
		end++;
	}
	if (end >= reading->length || text[end] != text[from - 1] || !odd || end - from >= PATH_MAX)
		return;
	char quote = text[end];
	text[end] = '\0';
	if (strpbrk(text + from, "./") && !strpbrk(text + from, "$;&|<>"))
		pass_on(reading->mentions, text + from,
			reading->of_path ? MENTION_PROGRAMS : MENTION_FILE);
	text[end] = quote;
}

// A byte between two words. A list may go on over lines as long as a bracket is open.
static void take_between(struct reading *reading, char byte)
{
	reading->open += byte == '[' || byte == '(';
	reading->open -= (byte == ']' || byte == ')') && reading->open > 0;
	if (byte == '\n' && reading->open == 0)
		reading->of_path = false;
	if (byte == '\n' || byte == ';' || byte == '&' || byte == '|')
		reading->interpreter = false;
	if (byte == '"' || byte == '\'')
		take_quoted(reading, reading->at + 1);
}

void mentions_text(struct mentions *mentions, char *text, size_t length)
{
	struct reading reading = { .mentions = mentions, .text = text, .length = length };
	while (reading.at < length) {
		size_t end = reading.at;
		while (end < length && is_of_word(text[end]))
			end++;
		if (end == reading.at) {
			reading.variable =
				text[end] == '$' || (reading.variable && text[end] == '{');
			take_between(&reading, text[end]);
			reading.at++;
			continue;
		}
		char after = end < length ? text[end] : '\0';
		text[end] = '\0';
		take_word(&reading, text + reading.at, after);
		text[end] = after;
		reading.variable = after == '}' && reading.variable;
		reading.at = end;
	}
}

// Whether git runs what such a key says (git-config(1)): `name` is in lower case but for what
// stands between its first and its last dot.
static bool is_command(const char *name)
{
	static const char *const sections[] = { "alias.",     "filter.",   "pager.",
						"trailer.",   "gpg.",      "credential.",
						"mergetool.", "difftool.", "browser.",
						"man.",       "tar.",      "guitool.",
						"hook.",      "sendemail." };
	static const char *const keys[] = { ".fsmonitor",   ".sshcommand",
					    ".editor",      ".pager",
					    ".askpass",     ".gitproxy",
					    ".helper",      ".command",
					    ".textconv",    ".driver",
					    ".external",    ".program",
					    ".difffilter",  ".vcs",
					    ".update",      ".uploadpack",
					    ".receivepack", ".packobjectshook",
					    ".templatedir", ".alternaterefscommand",
					    ".browser" };
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (str_starts(name, sections[i]))
			return true;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (str_ends(name, keys[i]))
			return true;
	return false;
}

// Which command runs is said by attributes then. Git's own large files are no news.
static bool is_chosen(const char *name)
{
	return (str_starts(name, "filter.") && !str_starts(name, "filter.lfs.")) ||
	       (str_starts(name, "diff.") &&
		(str_ends(name, ".textconv") || str_ends(name, ".command"))) ||
	       (str_starts(name, "merge.") && str_ends(name, ".driver"));
}

// Nearly none has such a key: then nothing needs to be taken apart.
static bool may_command(const char *text)
{
	static const char *const words[] = { "alias",       "filter",     "pager",   "trailer",
					     "gpg",         "credential", "tool",    "browser",
					     "fsmonitor",   "command",    "helper",  "textconv",
					     "driver",      "external",   "program", "editor",
					     "askpass",     "gitproxy",   "vcs",     "uploadpack",
					     "receivepack", "template",   "hook",    "sendemail",
					     "[man",        "[tar",       "!" };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(text, words[i]))
			return true;
	return false;
}

void mentions_git(struct mentions *mentions, struct arena *arena, const char *text, size_t length)
{
	struct gitconfig config = { 0 };
	bool chosen = false;
	if (!may_command(text))
		return;
	if (gitconfig_parse(arena, text, length, &config) < 0) {
		config.count = 0;
		err_clear();
	}
	for (unsigned i = 0; i < config.count; i++) {
		const char *value = config.entries[i].value;
		size_t size = strlen(value);
		if (!is_command(config.entries[i].name) || size >= MENTIONS_BYTES_MOST)
			continue;
		mentions_text(mentions, arena_copy(arena, value, size), size);
		chosen = chosen || is_chosen(config.entries[i].name);
	}
	if (chosen)
		pass_on(mentions, ".gitattributes", MENTION_FILE);
}

static void read_lines(struct mentions *mentions, const char *keys, char *text, size_t length)
{
	for (size_t at = 0, end; at < length; at = end + 1) {
		char *newline = memchr(text + at, '\n', length - at);
		end = newline ? (size_t)(newline - text) : length;
		size_t begin = at;
		while (begin < end && strchr(" \t-\"'{", text[begin]))
			begin++;
		char key[32];
		size_t size = begin;
		while (size < end && size - begin < sizeof(key) - 1 && is_of_word(text[size]))
			size++;
		snprintf(key, sizeof(key), "%.*s", (int)(size - begin), text + begin);
		if (key[0] && is_of(key, keys))
			mentions_text(mentions, text + size, end - size);
	}
}

// Scripts that run with no other word than "install".
static void read_scripts(struct mentions *mentions, struct arena *arena, const char *text,
			 size_t length)
{
	static const char keys[] = " preinstall install postinstall preprepare prepare postprepare "
				   "prepublish dependencies ";
	struct json *root = NULL;
	if (json_parse(arena, text, length, &root) < 0)
		err_clear();
	const struct json *scripts = json_member(root, "scripts");
	for (const struct json *one = scripts && scripts->type == JSON_OBJECT ? scripts->first
									      : NULL;
	     one; one = one->next) {
		if (one->type != JSON_STRING || !one->key || !is_of(one->key, keys))
			continue;
		size_t size = strlen(one->string);
		mentions_text(mentions, arena_copy(arena, one->string, size), size);
	}
}

// What functions of direnv's read, or put on PATH, without an argument.
static void read_direnv(struct mentions *mentions, const char *text)
{
	static const struct {
		const char *word, *name;
		enum mention kind;
	} unasked[] = {
		{ "dotenv", ".env", MENTION_FILE },
		{ "use flake", "flake.nix", MENTION_FILE },
		{ "use nix", "shell.nix", MENTION_FILE },
		{ "use nix", "default.nix", MENTION_FILE },
		{ "layout node", "node_modules/.bin", MENTION_PROGRAMS },
		{ "layout go", "bin", MENTION_PROGRAMS },
		{ "layout php", "vendor/bin", MENTION_PROGRAMS },
	};
	for (size_t i = 0; i < sizeof(unasked) / sizeof(*unasked); i++)
		if (strstr(text, unasked[i].word))
			pass_on(mentions, unasked[i].name, unasked[i].kind);
}

void mentions_read(struct mentions *mentions, struct arena *arena,
		   const struct mentions_settings *settings, char *text, size_t length)
{
	switch (settings->form) {
	case MENTIONS_DIRENV:
		read_direnv(mentions, text);
		mentions_text(mentions, text, length);
		return;
	case MENTIONS_TEXT:
		mentions_text(mentions, text, length);
		return;
	case MENTIONS_LINES:
		read_lines(mentions, settings->keys, text, length);
		return;
	case MENTIONS_SCRIPTS:
		read_scripts(mentions, arena, text, length);
		return;
	}
}
