// Owns the form of help texts. Their words are in the tables.
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "run/run_command.h"
#include "seccomp/syscalls.h"

enum { COLUMN = 26, VERB_COLUMN = 6 };

static void option(struct out *out, const struct key *key, const char *value, const char *help)
{
	size_t before = out->used;
	char letter[8] = "    ";
	if (key->letter)
		snprintf(letter, sizeof(letter), "-%c, ", key->letter);
	out_text(out, "  %s--%s%s%s", letter, key->flag, value ? " " : "", value ? value : "");
	out_wrapped(out, COLUMN, (int)(out->used - before), help);
}

static const char *first_clause(const char *text)
{
	static char begin[128];
	const char *end = strstr(text, "; ");
	snprintf(begin, sizeof(begin), "%.*s", (int)(end ? (size_t)(end - text) : strlen(text)),
		 text);
	return begin;
}

static void options_of(struct out *out, enum verb verb, const char *section, bool brief)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if ((section ? key->section && str_equal(key->section, section) : !key->section) &&
		    key->flag && (key->verbs & verb))
			option(out, key, key->value,
			       !brief       ? key->help
			       : key->brief ? key->brief
					    : first_clause(key->help));
}

// Prints one screen: the options that are used most, and those that only this verb has.
static void screen(struct out *out, enum verb verb)
{
	for (const struct key *key = keys; key < keys + key_count; key++) {
		bool own = !key->section && !(key->verbs & VERB_RUN);
		const char *value = key->value;
		char cut[32];
		if (!key->flag || !(key->verbs & verb) || !(key->brief || own))
			continue;
		snprintf(cut, sizeof(cut), "%.*s", (int)strcspn(value ? value : "", "[|"),
			 value ? value : "");
		if (key->brief && value)
			value = key->kind == KEY_WORD ? "MODE" : cut;
		option(out, key, value, key->brief ? key->brief : key->help);
	}
}

static void every_option(struct out *out, enum verb verb)
{
	bool box = verb & VERBS_BOX;
	options_of(out, verb, NULL, box);
	for (unsigned i = 0; box && i < section_count; i++) {
		out_text(out, "\n%s: %s\n", sections[i].name, sections[i].help);
		options_of(out, verb, sections[i].name, true);
		for (unsigned group = GROUP_FIRST_OPTIONAL;
		     str_equal(sections[i].name, "syscalls") && group < syscall_group_count;
		     group++) {
			out_text(out, "      group %-12s", syscall_groups[group].name);
			out_wrapped(out, COLUMN, COLUMN - 2,
				    first_clause(syscall_groups[group].why));
		}
	}
	if (box)
		out_text(out, "\nEach in full: man sbx, man sbx.ini\n");
}

int help_verb(enum verb verb, enum help_wish wish)
{
	struct out out = { 0 };
	const struct verb_row *row = verb_rows;
	while (1U << (row - verb_rows) != verb)
		row++;
	bool all = wish == HELP_ALL || !(verb & VERBS_BOX);
	out_text(&out, "usage: sbx %s\n", row->synopsis);
	out_wrapped(&out, 0, 0, row->help);
	out_text(&out, "\n");
	if (all)
		every_option(&out, verb);
	else
		screen(&out, verb);
	if (verb == VERB_SESSION)
		out_text(&out, "\nActions:\n");
	for (unsigned i = 0; verb == VERB_SESSION && i < SESSION_ACTIONS; i++)
		out_text(&out, "  %s\n", session_usages[i]);
	if (row->examples)
		out_text(&out, "\nexamples:\n%s", row->examples);
	if (!all)
		out_text(&out, "%sEvery option: sbx %s --help all. Manual: man sbx\n",
			 row->examples ? "" : "\n", row->name);
	return box_done(&out, 0);
}

static void first_verbs(struct out *out)
{
	static const struct {
		const char *name, *does;
	} first[] = {
		{ "shell", "your shell in a box" },   { "agent", "boxes for a coding agent" },
		{ "session", "boxes that persist" },  { "doctor", "what this machine enforces" },
		{ "why", "what denied it; the fix" }, { "learn", "the profile of a command" }
	};
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		out_text(out, i % 2 ? "sbx %-8s %s\n" : "  sbx %-8s %-26s", first[i].name,
			 first[i].does);
}

int help_first(void)
{
	struct out out = { 0 };
	out_text(&out,
		 "usage: sbx %s\n"
		 "Runs a command so that it can change your project, but not read your keys,\n"
		 "change your home or reach hosts that you did not allow.\n\n",
		 verb_rows[ROW_RUN].synopsis);
	screen(&out, VERB_RUN);
	out_text(&out, "\n");
	first_verbs(&out);
	out_text(&out, "\nEvery option: sbx run --help all. Every verb: sbx help all. "
		       "Manual: man sbx\n");
	return box_done(&out, 0);
}

int help_all(void)
{
	struct out out = { 0 };
	out_text(&out, "usage:\n");
	for (unsigned i = 0; i < VERB_ROWS; i++) {
		out_text(&out, "  sbx %s\n", verb_rows[i].synopsis);
		out_wrapped(&out, VERB_COLUMN, 0, verb_rows[i].help);
	}
	out_text(&out, "  sbx help [VERB] | version | completion bash|zsh|fish\n\nThe options of a "
		       "verb: sbx help VERB, or "
		       "sbx help VERB all.\nManual: man sbx, man sbx.ini\n");
	return box_done(&out, 0);
}
