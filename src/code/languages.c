// Owns the table of languages. tests/e2e/code.sh runs each row.
#include "code/languages.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

// clang-format off
const struct language languages[] = {
	{ .name = "bash", .also = "sh shell", .extensions = "sh bash", .programs = "bash sh dash", .profile = "default",
	  .run = { "bash" }, .interactive = { "bash" }, .hints = { "\nfi\n", "\ndone\n", "$((" } },
	{ .name = "python", .also = "py python3", .extensions = "py", .programs = "python3 python", .profile = "python",
	  .run = { "python3" }, .interactive = { "python3", "-q" }, .hints = { "\ndef ", "\nfrom ", "__name__", "):\n" } },
	{ .name = "node", .also = "js javascript nodejs", .extensions = "js mjs cjs", .programs = "node nodejs",
	  .profile = "node", .run = { "node" }, .interactive = { "node" }, .hints = { "console.log", "require(", "=> {", "module.exports" } },
	{ .name = "perl", .also = "pl", .extensions = "pl pm", .programs = "perl", .profile = "default",
	  .run = { "perl" }, .hints = { "use strict", "\nmy $", "use warnings" } },
	{ .name = "awk", .also = "gawk", .extensions = "awk", .programs = "awk gawk mawk", .profile = "default",
	  .run = { "awk", "-f" }, .hints = { "BEGIN {", "BEGIN{", "END {" } },
	{ .name = "c", .also = "gcc", .extensions = "c", .programs = "tcc", .profile = "c",
	  .compile = "cc -O1 -Wall -o \"$2\" \"$1\" -lm", .hints = { "#include <st", "#include <un" } },
	{ .name = "c++", .also = "cpp cxx g++", .extensions = "cpp cc cxx", .programs = "", .profile = "c",
	  .compile = "c++ -O1 -Wall -o \"$2\" \"$1\"", .hints = { "#include <iostream>", "std::", "using namespace" } },
	{ .name = "go", .also = "golang", .extensions = "go", .programs = "", .profile = "go",
	  .compile = "go build -o \"$2\" \"$1\"", .hints = { "package main" } },
	{ .name = "rust", .also = "rs", .extensions = "rs", .programs = "", .profile = "rust",
	  .compile = "rustc -o \"$2\" \"$1\"", .hints = { "fn main()", "println!(" } },
	{ .name = "java", .also = "jdk", .extensions = "java", .programs = "java", .profile = "java",
	  .run = { "java" }, .required_name = "Main.java", .hints = { "public static void main", "public class " } },
	{ .name = "ruby", .also = "rb", .extensions = "rb", .programs = "ruby", .profile = "ruby",
	  .run = { "ruby" }, .interactive = { "irb" }, .hints = { ".each do |", "require '", "\nend\n" } },
	{ .name = "php", .also = "php-cli", .extensions = "php", .programs = "php", .profile = "php",
	  .run = { "php" }, .hints = { "<?php" } },
	{ .name = "lua", .also = "lua5.4", .extensions = "lua", .programs = "lua lua5.4 lua5.3", .profile = "default",
	  .run = { "lua" }, .hints = { "local function", "\nlocal ", " then\n" } },
	{ .name = "tcl", .also = "tclsh", .extensions = "tcl", .programs = "tclsh", .profile = "default",
	  .run = { "tclsh" }, .hints = { "proc ", "puts [", "\nset " } },
};
// clang-format on
const unsigned language_count = sizeof(languages) / sizeof(*languages);

static int unknown(const char *what)
{
	struct out names = { 0 };
	for (unsigned i = 0; i < language_count; i++)
		out_text(&names, " %s", languages[i].name);
	fail(0, "%s, expected one of%s", what, names.text);
	out_free(&names);
	return -1;
}

const struct language *language_find(const char *name)
{
	char what[80];
	for (unsigned i = 0; i < language_count; i++)
		if (str_equal(languages[i].name, name) ||
		    str_has_word(languages[i].also, name, strlen(name)))
			return &languages[i];
	snprintf(what, sizeof(what), "no language '%.40s'", str_shown(name));
	unknown(what);
	return NULL;
}

static size_t program_of(const char *text, const char **ret_word)
{
	if (!str_starts(text, "#!"))
		return 0;
	const char *at = text + 2 + strspn(text + 2, " ");
	size_t length = strcspn(at, " \n");
	for (size_t i = 0; i < length; i++)
		if (at[i] == '/') {
			at += i + 1;
			length -= i + 1;
			i = (size_t)-1;
		}
	if (length == 3 && strncmp(at, "env", length) == 0) {
		at += length + strspn(at + length, " ");
		length = strcspn(at, " \n");
	}
	*ret_word = at;
	return length;
}

static const struct language *by_text(const char *text)
{
	const struct language *best = NULL;
	unsigned most = 0;
	for (unsigned i = 0; i < language_count; i++) {
		unsigned count = 0;
		for (int j = 0; j < 4 && languages[i].hints[j]; j++) {
			const char *hint = languages[i].hints[j];
			// "\nWORD" also matches the first line.
			count += strstr(text, hint) ||
				 (hint[0] == '\n' && str_starts(text, hint + 1));
		}
		if (count > most) {
			most = count;
			best = &languages[i];
		}
	}
	return best;
}

const struct language *language_detect(const char *name, const char *text)
{
	const char *word = NULL, *dot = name ? strrchr(path_name(name), '.') : NULL;
	size_t length = program_of(text, &word);
	for (unsigned i = 0; i < language_count && length; i++)
		if (str_has_word(languages[i].programs, word, length))
			return &languages[i];
	for (unsigned i = 0; i < language_count && dot; i++)
		if (str_has_word(languages[i].extensions, dot + 1, strlen(dot + 1)))
			return &languages[i];
	const struct language *found = by_text(text);
	if (!found)
		unknown("the language is not known; name it by --lang");
	return found;
}

const char *language_driver(const struct language *language)
{
	struct out names = { 0 };
	for (unsigned i = 0; i < driver_count; i++)
		if (str_equal(drivers[i].name, language->name))
			return drivers[i].text;
	for (unsigned i = 0; i < driver_count; i++)
		out_text(&names, " %s", drivers[i].name);
	fail(0, "no code given, and %s has no sessions of its interpreter; these have:%s",
	     language->name, names.text);
	out_free(&names);
	return NULL;
}

const char *language_file(const struct language *language, char *name, size_t size)
{
	if (language->required_name)
		str_put(name, size, "%s", language->required_name);
	else
		str_put(name, size, "main.%.*s", (int)strcspn(language->extensions, " "),
			language->extensions);
	return name;
}
