// Owns the parts of the man pages that are made from the tables.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cli/verbs.h"
#include "gen/gen.h"
#include "policy/keys.h"
#include "seccomp/syscalls.h"
#include "text/words.h"

// Escapes text for groff(7): '-' as hyphen-minus, '\', and '.' or '\'' at the start of a line.
void gen_roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		printf("\\&");
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			putchar('\\');
		putchar(*text == '\\' ? 'e' : *text);
	}
}

static void man_flag(const struct key *key)
{
	printf(".TP\n");
	printf("\\fB");
	if (key->letter)
		printf("\\-%c\\fR, \\fB", key->letter);
	printf("\\-\\-");
	gen_roff(key->flag);
	printf("\\fR");
	if (key->value) {
		printf(" \\fI");
		gen_roff(key->value);
		printf("\\fR");
	}
	printf("\n");
	gen_roff(key->help);
	printf(".\n");
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
		printf(".SS [%s]\n", sections[i].name);
		gen_roff(sections[i].help);
		printf(".\n");
		for (const struct key *key = keys; key < keys + key_count; key++) {
			if (!key->section || !str_equal(key->section, sections[i].name))
				continue;
			printf(".TP\n\\fB%s\\fR = \\fI", key->name);
			gen_roff(key->value);
			printf("\\fR\n");
			gen_roff(key->help);
			printf(".\n");
			if (key->kind == KEY_LIST)
				printf("May be repeated; an empty value empties the list.\n");
			if (key->flag)
				printf("Flag: \\fB\\-\\-%s\\fR.\n", key->flag);
		}
	}
}

static void man_groups(void)
{
	for (unsigned i = GROUP_FIRST_OPTIONAL; i < syscall_group_count; i++) {
		printf(".TP\n\\fB%s\\fR\n", syscall_groups[i].name);
		gen_roff(syscall_groups[i].why);
		printf(".\n");
	}
}

static void man_verbs(void)
{
	for (unsigned i = 0; i < VERB_ROWS; i++) {
		printf(".TP\n\\fBsbx ");
		gen_roff(verb_rows[i].synopsis);
		printf("\\fR\n");
		gen_roff(verb_rows[i].help);
		printf(".\n");
	}
}

static const struct verb_row *verb_row;

// Writes lines as they are.
static void man_lines(const char *text)
{
	printf(".nf\n");
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		text += strspn(text, " ");
		gen_roff(arena_copy(arena_new(), text, (size_t)(end - text)));
		printf("\n");
	}
	printf(".fi\n");
}

static void man_verb(void)
{
	printf(".TH SBX\\-");
	for (const char *letter = verb_row->name; *letter; letter++)
		putchar(toupper((unsigned char)*letter));
	printf(" 1 2026-11-29 \"sbx\" \"User commands\"\n.SH NAME\nsbx\\-%s \\- ", verb_row->name);
	gen_roff(verb_row->help);
	printf("\n.SH SYNOPSIS\n.B sbx ");
	gen_roff(verb_row->synopsis);
	printf("\n");
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

// Path of profiles/groups.ini.
static const char *groups_file;

static void man_destinations(void)
{
	struct ini_rows rows;
	size_t length;
	const char *text = gen_read_file(groups_file, &length);
	if (ini_read(arena_new(), groups_file, text, length, &rows) < 0)
		exit(1);
	for (unsigned i = 0; i < rows.count; i++) {
		const struct ini_row row = ini_at(&rows, i);
		bool first = i == 0 || !str_equal(ini_at(&rows, i - 1).section, row.section);
		if (first)
			printf(".TP\n\\fB%s\\fR\n", row.section);
		if (str_equal(row.name, "file"))
			continue;
		gen_roff(row.name);
		printf(": ");
		gen_roff(row.value);
		printf(".\n");
	}
}

static const char *names_file, *recipes_file;

static void man_names(void)
{
	gen_man_names(names_file);
}

static void man_recipes(void)
{
	gen_man_recipes(recipes_file);
}

struct placeholder {
	const char *line;
	void (*write)(void);
};
static const struct placeholder placeholders[] = {
	{ "@OPTIONS@", man_options },
	{ "@KEYS@", man_keys },
	{ "@GROUPS@", man_groups },
	{ "@VERBS@", man_verbs },
	{ "@VERB@", man_verb },
	{ "@VERB OPTIONS@", man_verb_options },
	{ "@DESTINATIONS@", man_destinations },
	{ "@NAMES@", man_names },
	{ "@RECIPES@", man_recipes },
};

void gen_man(const char *template, const char *groups, const char *names, const char *recipes,
	     const char *verb)
{
	size_t length;
	for (unsigned i = 0; verb && i < VERB_ROWS; i++)
		if (str_equal(verb_rows[i].name, verb))
			verb_row = &verb_rows[i];
	groups_file = groups;
	names_file = names;
	recipes_file = recipes;
	const char *text = gen_read_file(template, &length);
	for (char *line = strtok(arena_copy(arena_new(), text, length), "\n"); line;
	     line = strtok(NULL, "\n")) {
		void (*write)(void) = NULL;
		for (size_t i = 0; i < sizeof(placeholders) / sizeof(*placeholders); i++)
			if (str_equal(placeholders[i].line, line))
				write = placeholders[i].write;
		if (write)
			write();
		else
			printf("%s\n", line);
	}
}

static _Noreturn void stop(const char *what)
{
	fprintf(stderr, "sbx-gen: recipes: %.80s\n", what);
	exit(1);
}

static const char *next_line(const char *at)
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
			stop(recipe.keys);
	printf("// Made by sbx-gen at build time.\n#include \"text/words.h\"\n\n"
	       "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
	       "const char recipes_text[] =\n");
	for (const char *at = text; *at; at = next_line(at)) {
		if (*at == '#' || str_starts(at, "== "))
			continue;
		printf("\t");
		gen_quote(at, strcspn(at, "\n"));
		printf("\"\\n\"\n");
	}
	printf("\t\"\";\n");
}

// Writes `code` in bold.
static void roff_line(const char *at)
{
	bool code = false;
	if (*at == '.' || *at == '\'')
		printf("\\&");
	for (; *at && *at != '\n'; at++) {
		static const char bytes[] = "\\^~'\"-", *const names[] = { "\\e",   "\\(ha",
									   "\\(ti", "\\(aq",
									   "\\(dq", "\\-" };
		const char *found = strchr(bytes, *at);
		code ^= *at == '`';
		if (*at == '`')
			printf(code ? "\\fB" : "\\fR");
		else if (found)
			printf("%s", names[found - bytes]);
		else
			putchar(*at);
	}
	putchar('\n');
	if (code)
		stop("a ` is missing");
}

void gen_man_recipes(const char *path)
{
	size_t length;
	bool more = false;
	for (const char *at = gen_read_file(path, &length); *at; at = next_line(at)) {
		if (str_starts(at, "== ")) {
			printf(".SH ");
			roff_line(at + 3);
		} else if (str_starts(at, "? ")) {
			printf(more ? ".TQ\n.B " : ".TP\n.B ");
			roff_line(at + 2);
			more = true;
		} else if (*at != '#' && *at != '\n') {
			roff_line(at);
			more = false;
		}
	}
}

// The generator makes this text, and only needs the symbol.
const char recipes_text[] = "";
