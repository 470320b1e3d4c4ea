// Owns the parts of the man pages that are made from the tables.
#include "gen/gen.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/verbs.h"
#include "jail/syscalls.h"
#include "policy/keys.h"

// '-' as a real hyphen-minus, '.' and '\'' not at the start of a line, '\' escaped.
static void roff(const char *text)
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
	roff(key->flag);
	printf("\\fR");
	if (key->value) {
		printf(" \\fI");
		roff(key->value);
		printf("\\fR");
	}
	printf("\n");
	roff(key->help);
	printf(".\n");
}

static void man_options(void)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (!key->section)
			man_flag(key);
	for (unsigned i = 0; i < section_count; i++) {
		if (str_equal(sections[i].name, "profile"))
			continue;
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
		roff(sections[i].help);
		printf(".\n");
		for (const struct key *key = keys; key < keys + key_count; key++) {
			if (!key->section || !str_equal(key->section, sections[i].name))
				continue;
			printf(".TP\n\\fB%s\\fR = \\fI", key->name);
			roff(key->value);
			printf("\\fR\n");
			roff(key->help);
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
		roff(syscall_groups[i].why);
		printf(".\n");
	}
}

static void man_verbs(void)
{
	for (unsigned i = 0; i < verb_row_count; i++) {
		printf(".TP\n\\fBsbx ");
		roff(verb_rows[i].synopsis);
		printf("\\fR\n");
		roff(verb_rows[i].help);
		printf(".\n");
	}
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
};

void gen_man(const char *template)
{
	size_t length;
	for (char *line = strtok(gen_read_file(template, &length), "\n"); line; line = strtok(NULL, "\n")) {
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
