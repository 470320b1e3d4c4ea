// Owns the search for names of files in texts.
#include "names/mentions.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/str.h"
#include "git/gitconfig.h"

const char *mentions_path(struct arena *arena, const char *root, const char *base, const char *name)
{
	if (root && name[0] == '/' && path_within(name, root))
		return path_clean(arena, name);
	name += strspn(name, "/");
	return name[0] ? path_clean(arena, path_below(arena, base, name)) : NULL;
}

static bool is_of(const char *word, const char *words)
{
	char padded[64];
	return snprintf(padded, sizeof(padded), " %s ", word) < (int)sizeof(padded) &&
	       strstr(words, padded);
}

enum { PLACES_MAX = 8 };

void mentions_pass(struct mentions *mentions, const char *name, enum mention kind)
{
	if (mentions->words++ < MENTIONS_MAX)
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
	bool enters;      // the word before is cd
	int open;         // brackets
	struct beginning {
		const char *at;
		size_t length;
		bool entered;
	} places[PLACES_MAX]; // where a later name may begin: by cd, or the value of a variable
	unsigned place_count;
};

// Bytes of UTF-8 are letters.
bool mentions_is_letter(char c)
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

// By itself, and from each place where it may begin.
static void pass_name(struct reading *reading, const char *name, enum mention kind)
{
	char path[PATH_MAX];
	mentions_pass(reading->mentions, name, kind);
	for (unsigned i = 0; i < reading->place_count; i++) {
		const struct beginning *place = &reading->places[i];
		const char *rest = name + strspn(name, "/");
		if ((reading->variable || (place->entered && name[0] != '/')) &&
		    str_put(path, sizeof(path), "%.*s/%s", (int)place->length, place->at, rest))
			mentions_pass(reading->mentions, path, kind);
	}
}

// "cd tools", "cd $DIR", "DIR=tools".
static void take_place(struct reading *reading, const char *word)
{
	const char *text = reading->text, *slash = strchr(word, '/');
	size_t at = reading->at, quote = at > 0 && (text[at - 1] == '"' || text[at - 1] == '\'');
	bool assigned = at > quote && text[at - quote - 1] == '=';
	for (unsigned i = 0;
	     reading->enters && reading->variable && !slash && i < reading->place_count; i++)
		reading->places[i].entered = true;
	const char *place = reading->variable ? slash : word;
	if (!(assigned || reading->enters) || !place || word[0] == '-' ||
	    reading->place_count == PLACES_MAX)
		return;
	place += strspn(place, "/");
	reading->places[reading->place_count++] =
		(struct beginning){ place, strlen(place), reading->enters };
}

static void take_word(struct reading *reading, const char *word, char after)
{
	const char *name = reading->variable && strchr(word, '/') ? strchr(word, '/') : word;
	bool all = after == '*' && str_ends(word, "/");
	take_place(reading, word);
	reading->enters = is_of(word, " cd pushd ");
	if (is_interpreter(word)) {
		reading->interpreter = true;
		return;
	}
	if (strpbrk(name, "./") || reading->of_path || reading->interpreter)
		pass_name(reading, name,
			  reading->of_path || all ? MENTION_PROGRAMS
			  : reading->interpreter  ? MENTION_RUN
						  : MENTION_FILE);
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
		odd = odd || !mentions_is_letter(text[end]);
		end++;
	}
	if (end >= reading->length || text[end] != text[from - 1] || !odd || end - from >= PATH_MAX)
		return;
	char quote = text[end];
	text[end] = '\0';
	if (strpbrk(text + from, "./") && !strpbrk(text + from, "$;&|<>"))
		mentions_pass(reading->mentions, text + from,
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
		reading->interpreter = reading->enters = false;
	if (byte == '"' || byte == '\'')
		take_quoted(reading, reading->at + 1);
}

void mentions_text(struct mentions *mentions, char *text, size_t length)
{
	struct reading reading = { .mentions = mentions, .text = text, .length = length };
	while (reading.at < length) {
		size_t end = reading.at;
		while (end < length && mentions_is_letter(text[end]))
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
	static const char *const sections[] = {
		"alias.",     "filter.",    "pager.",   "trailer.",     "gpg.", "credential.",
		"mergetool.", "difftool.",  "browser.", "man.",         "tar.", "guitool.",
		"hook.",      "sendemail.", "lfs.",     "gitflow.path."
	};
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
					    ".browser",     ".tunnel",
					    ".authorsprog", ".recentobjectshook" };
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
	static const char *const words[] = {
		"alias",       "filter",   "pager",          "trailer",     "gpg",
		"credential",  "tool",     "browser",        "fsmonitor",   "command",
		"helper",      "textconv", "driver",         "external",    "program",
		"editor",      "askpass",  "gitproxy",       "vcs",         "uploadpack",
		"receivepack", "template", "hook",           "sendemail",   "[man",
		"[tar",        "tunnel",   "attributesfile", "authorsprog", "[lfs",
		"gitflow",     "!"
	};
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
	if (ATTEMPT(gitconfig_parse(arena, text, length, &config)) < 0) {
		config.count = 0;
	}
	for (unsigned i = 0; i < config.count; i++) {
		const char *value = config.entries[i].value;
		size_t size = strlen(value);
		if (!is_command(config.entries[i].name) || size >= MENTIONS_BYTES_MAX)
			continue;
		mentions_text(mentions, arena_copy(arena, value, size), size);
		chosen = chosen || is_chosen(config.entries[i].name);
	}
	const char *attributes = gitconfig_value(&config, "core.attributesfile");
	if (attributes && attributes[0])
		mentions_pass(mentions, attributes, MENTION_FILE);
	if (chosen)
		mentions_pass(mentions, ".gitattributes", MENTION_FILE);
}

// A list of directories from which programs or modules are run: PERL5LIB, LD_LIBRARY_PATH ...
static bool is_search_path(const char *variable, size_t length)
{
	static const char *const ends[] = { "PATH", "LIB", "GIT_TEMPLATE_DIR" };
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (length >= strlen(ends[i]) &&
		    strncmp(variable + length - strlen(ends[i]), ends[i], strlen(ends[i])) == 0)
			return true;
	return false;
}

void mentions_environment(struct mentions *mentions, char *const *environment, const char *root)
{
	static const char ends[] = " \t\n:=,;\"'|&()<>`";
	char word[PATH_MAX];
	for (; *environment; environment++) {
		const char *at = strchr(*environment, '=');
		if (!at || str_starts(*environment, "PATH=") || str_starts(*environment, "npm_"))
			continue;
		bool directories = is_search_path(*environment, (size_t)(at - *environment));
		for (size_t length; *at; at += length) {
			at += strspn(at, ends);
			length = strcspn(at, ends);
			if (length < sizeof(word) && memchr(at, '/', length) &&
			    str_put(word, sizeof(word), "%.*s", (int)length, at) &&
			    (word[0] != '/' || path_within(word, root)))
				mentions_pass(mentions, word,
					      directories ? MENTION_PROGRAMS : MENTION_FILE);
		}
	}
}
