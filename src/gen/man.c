// Owns the parts of the man pages that are made from the tables.
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cli/verbs.h"
#include "gen/gen.h"
#include "policy/keys.h"
#include "seccomp/syscalls.h"
#include "text/words.h"

// Escapes for groff(7): each '-' and '\', and a '.' or '\'' at the start of the text.
static void put_text(const char *text)
{
	if (*text == '.' || *text == '\'')
		printf("\\&");
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			putchar('\\');
		putchar(*text == '\\' ? 'e' : *text);
	}
}

void gen_put(const char *format, ...)
{
	va_list texts;
	va_start(texts, format);
	for (; *format; format++)
		if (str_starts(format, "%s"))
			put_text((format++, va_arg(texts, const char *)));
		else
			putchar(*format);
	va_end(texts);
}

static void man_flag(const struct key *key)
{
	const char letter[] = { key->letter, '\0' };
	gen_put(key->letter ? ".TP\n\\fB\\-%s\\fR, " : ".TP\n", letter);
	gen_put(key->value ? "\\fB\\-\\-%s\\fR \\fI%s\\fR\n" : "\\fB\\-\\-%s\\fR\n", key->flag,
		key->value);
	gen_put("%s.\n", key->help);
}

static void man_options(void)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (!key->section)
			man_flag(key);
	for (unsigned i = 0; i < section_count; i++) {
		printf(".SS %s: %s\n", sections[i].name, sections[i].help);
		for (const struct key *key = keys; key < keys + key_count; key++)
			if (key->section && str_equal(key->section, sections[i].name) && key->flag)
				man_flag(key);
	}
}

static void man_keys(void)
{
	for (unsigned i = 0; i < section_count; i++) {
		gen_put(".SS [%s]\n%s.\n", sections[i].name, sections[i].help);
		for (const struct key *key = keys; key < keys + key_count; key++) {
			if (!key->section || !str_equal(key->section, sections[i].name))
				continue;
			gen_put(".TP\n\\fB%s\\fR = \\fI%s\\fR\n%s.\n", key->name, key->value,
				key->help);
			if (key->kind == KEY_LIST)
				printf("May be repeated; an empty value empties the list.\n");
			if (key->flag)
				printf("Flag: \\fB\\-\\-%s\\fR.\n", key->flag);
		}
	}
}

static void man_groups(void)
{
	for (unsigned i = GROUP_FIRST_OPTIONAL; i < syscall_group_count; i++)
		gen_put(".TP\n\\fB%s\\fR\n%s.\n", syscall_groups[i].name, syscall_groups[i].why);
}

static void man_verbs(void)
{
	for (unsigned i = 0; i < VERB_ROWS; i++)
		gen_put(".TP\n\\fBsbx %s\\fR\n%s.\n", verb_rows[i].synopsis, verb_rows[i].help);
}

static const struct verb_row *verb_row;

static void man_lines(const char *text)
{
	printf(".nf\n");
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		text += strspn(text, " ");
		gen_put("%s\n", arena_copy(arena_new(), text, (size_t)(end - text)));
	}
	printf(".fi\n");
}

static void man_verb(void)
{
	printf(".TH SBX\\-");
	for (const char *letter = verb_row->name; *letter; letter++)
		putchar(toupper((unsigned char)*letter));
	gen_put(" 1 2026-11-29 \"sbx\" \"User commands\"\n.SH NAME\nsbx\\-%s \\- %s\n.SH SYNOPSIS\n"
		".B sbx %s\n",
		verb_row->name, verb_row->help, verb_row->synopsis);
	if (verb_row->examples) {
		printf(".SH EXAMPLES\n");
		man_lines(verb_row->examples);
	}
}

// Writes the options of a verb. For a verb with a box, only those that `run` lacks.
static void man_verb_options(void)
{
	enum verb verb = 1U << (verb_row - verb_rows);
	printf(".SH OPTIONS\n");
	if (verb & VERBS_BOX)
		printf("The options of a box are in\n.BR sbx (1),\nOPTIONS.\n");
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (!key->section && key->flag && (key->verbs & verb) &&
		    !(verb & VERBS_BOX && key->verbs & VERB_RUN))
			man_flag(key);
}

// `path` is profiles/groups.ini.
static void man_destinations(const char *path)
{
	struct ini_rows rows;
	size_t length;
	const char *text = gen_read_file(path, &length);
	if (ini_read(arena_new(), path, text, length, &rows) < 0)
		exit(1);
	for (unsigned i = 0; i < rows.count; i++) {
		const struct ini_row row = ini_at(&rows, i);
		bool first = i == 0 || !str_equal(ini_at(&rows, i - 1).section, row.section);
		if (first)
			printf(".TP\n\\fB%s\\fR\n", row.section);
		if (str_equal(row.name, "file"))
			continue;
		gen_put("%s: %s.\n", row.name, row.value);
	}
}

static void man_recipes(const char *path);

static const struct placeholder {
	const char *line;
	void (*write)(void);
	void (*read)(const char *path);
	enum man_file { MAN_TEMPLATE, MAN_GROUPS, MAN_NAMES, MAN_RECIPES, MAN_JSON } file;
} placeholders[] = {
	{ "@OPTIONS@", .write = man_options },
	{ "@KEYS@", .write = man_keys },
	{ "@GROUPS@", .write = man_groups },
	{ "@VERBS@", .write = man_verbs },
	{ "@VERB@", .write = man_verb },
	{ "@VERB OPTIONS@", .write = man_verb_options },
	{ "@DESTINATIONS@", NULL, man_destinations, MAN_GROUPS },
	{ "@NAMES@", NULL, gen_man_names, MAN_NAMES },
	{ "@RECIPES@", NULL, man_recipes, MAN_RECIPES },
	{ "@JSON@", NULL, gen_man_json, MAN_JSON },
};

void gen_man(char *const *files, const char *verb)
{
	size_t length;
	for (unsigned i = 0; verb && i < VERB_ROWS; i++)
		if (str_equal(verb_rows[i].name, verb))
			verb_row = &verb_rows[i];
	const char *text = gen_read_file(files[MAN_TEMPLATE], &length);
	for (char *line = strtok(arena_copy(arena_new(), text, length), "\n"); line;
	     line = strtok(NULL, "\n")) {
		const struct placeholder *found = NULL;
		for (size_t i = 0; i < sizeof(placeholders) / sizeof(*placeholders); i++)
			if (str_equal(placeholders[i].line, line))
				found = &placeholders[i];
		if (!found)
			printf("%s\n", line);
		else if (found->write)
			found->write();
		else
			found->read(files[found->file]);
	}
}

const char *gen_next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

void gen_recipes(const char *path)
{
	size_t length;
	const char *text = gen_read_file(path, &length);
	struct recipe recipe;
	for (const char *at = text; (at = recipe_next(at, &recipe)) != NULL;)
		if (recipe.fix_length == 0)
			gen_stop(recipe.keys);
	printf("// Made by sbx-gen at build time.\n#include \"text/words.h\"\n\n"
	       "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
	       "const char recipes_text[] =\n");
	for (const char *at = text; *at; at = gen_next_line(at)) {
		if (*at == '#' || str_starts(at, "== "))
			continue;
		printf("\t");
		gen_quote(at, strcspn(at, "\n"));
		printf("\"\\n\"\n");
	}
	printf("\t\"\";\n");
}

void gen_line(const char *at)
{
	bool code = false, italic = false;
	if (strchr(".'", *at)) // strchr() also finds the NUL of an empty text
		printf("\\&");
	for (; *at && *at != '\n'; at++) {
		static const char bytes[] = "\\^~'\"-", *const names[] = { "\\e",   "\\(ha",
									   "\\(ti", "\\(aq",
									   "\\(dq", "\\-" };
		const char *found = strchr(bytes, *at);
		code ^= *at == '`';
		italic ^= *at == '*' && !code;
		if (*at == '`')
			printf(code ? "\\fB" : "\\fR");
		else if (*at == '*' && !code)
			printf(italic ? "\\fI" : "\\fR");
		else if (*at == '@' && !code)
			at = gen_table(at + 1);
		else if (found)
			printf("%s", names[found - bytes]);
		else
			putchar(*at);
	}
	putchar('\n');
	if (code || italic)
		gen_stop("a ` or * is missing");
}

static void man_recipes(const char *path)
{
	size_t length;
	bool more = false;
	for (const char *at = gen_read_file(path, &length); *at; at = gen_next_line(at)) {
		if (str_starts(at, "== ")) {
			printf(".SH ");
			gen_line(at + 3);
		} else if (str_starts(at, "? ")) {
			printf(more ? ".TQ\n.B " : ".TP\n.B ");
			gen_line(at + 2);
			more = true;
		} else if (*at != '#' && *at != '\n') {
			gen_line(at);
			more = false;
		}
	}
}

// Only for the linker: the generator makes the text itself.
const char recipes_text[] = "";
