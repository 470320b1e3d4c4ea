// Owns the help texts' form; their words come from the tables.
#include "cli/help.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/str.h"
#include "cli/verbs.h"
#include "jail/syscalls.h"

enum { COLUMN = 30, VERB_COLUMN = 6 };

static void wrapped(struct out *out, int at, const char *text)
{
	if (at >= COLUMN) {
		out_text(out, "\n");
		at = 0;
	}
	out_wrapped(out, COLUMN, at, text);
}

static void option(struct out *out, const struct key *key)
{
	char left[80];
	char letter[8] = "    ";
	if (key->letter)
		snprintf(letter, sizeof(letter), "-%c, ", key->letter);
	snprintf(left, sizeof(left), "  %s--%s%s%s", letter, key->flag, key->value ? " " : "",
		 key->value ? key->value : "");
	out_text(out, "%s", left);
	wrapped(out, (int)strlen(left), key->help);
}

static void options_of(struct out *out, enum verb verb, const char *section)
{
	for (const struct key *key = keys; key < keys + key_count; key++) {
		bool here =
			section ? key->section && str_equal(key->section, section) : !key->section;
		if (here && key->flag && (key->verbs & verb))
			option(out, key);
	}
}

int help_verb(enum verb verb, const char *name)
{
	struct out out = { 0 };
	for (unsigned i = 0; i < verb_row_count; i++) {
		if (!str_equal(verb_rows[i].name, name))
			continue;
		out_text(&out, "usage: sbx %s\n", verb_rows[i].synopsis);
		out_wrapped(&out, 0, 0, verb_rows[i].help);
		out_text(&out, "\n");
	}
	options_of(&out, verb, NULL);
	for (unsigned i = 0; (verb & VERBS_BOX) && i < section_count; i++) {
		if (str_equal(sections[i].name, "profile"))
			continue;
		out_text(&out, "\n%s: %s\n", sections[i].name, sections[i].help);
		options_of(&out, verb, sections[i].name);
		if (!str_equal(sections[i].name, "syscalls"))
			continue;
		for (unsigned group = GROUP_FIRST_OPTIONAL; group < syscall_group_count; group++) {
			out_text(&out, "      group %-12s", syscall_groups[group].name);
			wrapped(&out, 24, syscall_groups[group].why);
		}
	}
	return out_flush(&out, STDOUT_FILENO) < 0 ? STATUS_FAILURE : STATUS_OK;
}

int help_all(int fd)
{
	struct out out = { 0 };
	out_text(&out, "sbx runs a command in a box: it sees the system and the project, not your\n"
		       "secrets; it writes the project, not your home.\n\nusage:\n");
	for (unsigned i = 0; i < verb_row_count; i++) {
		out_text(&out, "  sbx %s\n", verb_rows[i].synopsis);
		out_wrapped(&out, VERB_COLUMN, 0, verb_rows[i].help);
	}
	out_text(&out, "  sbx --version | --help\n\n'sbx VERB --help' lists the options of a verb. "
		       "Manual: man sbx, man sbx.ini\n");
	return out_flush(&out, fd) < 0 ? STATUS_FAILURE : STATUS_OK;
}
