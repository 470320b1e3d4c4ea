// Owns the way from argv to a verb, and the printing of the one error.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "about.h"
#include "base/base.h"
#include "base/fd.h"
#include "text/words.h"
#include "base/testing.h"
#include "run/run_command.h"
#include "cli/verbs.h"
#include "policy/keys.h"

static verb_function *const verbs[VERB_ROWS] = {
#define VERB_ENTRY(NAME, name) verb_##name,
	VERBS(VERB_ENTRY)
};

static unsigned row_of(const char *word)
{
	unsigned row = 0;
	while (row < VERB_ROWS && !str_equal(verb_rows[row].name, word))
		row++;
	return row;
}

static int unknown_verb(char **words)
{
	struct near near = { .word = words[0] };
	const char *answer = foreign_answer(FOREIGN_VERB, VERBS_ALL, words[0], strlen(words[0]));
	const char *shown = str_shown(words[0]);
	for (unsigned i = 0; i < VERB_ROWS; i++)
		near_consider(&near, verb_rows[i].name);
	if (words[1] && str_equal(words[1], "--") && words[2])
		fail(0, "to run a command: sbx run -- %.40s", str_shown(words[2]));
	else if (answer)
		fail(0, "no verb '%s': %s", words[0], answer);
	else if (near.found)
		fail(0,
		     "no verb '%.40s', did you mean 'sbx %s'? To run a command: sbx run -- %.40s",
		     shown, near.found, shown);
	else
		fail(0, "no verb '%.40s'; to run a command: sbx run -- %.40s", shown, shown);
	return box_failed();
}

static bool has_action(unsigned row, const char *word)
{
	const char *actions = verb_rows[row].actions;
	bool hook = row == ROW_AGENT && word && str_equal(word, "hook"); // only agents call it
	if (!actions || !word || word[0] == '-' || hook ||
	    str_has_word(actions, word, strlen(word)))
		return true;
	const char *answer = foreign_answer(FOREIGN_ACTION, 1U << row, word, strlen(word));
	const char *name = verb_rows[row].name;
	char names[256];
	struct near near = { .word = word };
	snprintf(names, sizeof(names), "%s", actions);
	for (char *each = strtok(names, " "); each; each = strtok(NULL, " "))
		near_consider(&near, each);
	if (answer)
		fail(0, "unknown action '%.40s': %s", str_shown(word), answer);
	else if (near.found)
		fail(0, "unknown action '%.40s', did you mean 'sbx %s %s'?", str_shown(word), name,
		     near.found);
	else
		fail(0, "unknown action '%.40s'; sbx %s has: %s", str_shown(word), name, actions);
	return false;
}

static int verb_help(char **words)
{
	if (!words[0])
		return help_first();
	if (str_equal(words[0], "all"))
		return help_all();
	unsigned row = row_of(words[0]);
	if (row == VERB_ROWS)
		return unknown_verb(words);
	if (!words[1] || str_equal(words[1], "all"))
		return help_verb(1U << row, words[1] ? HELP_ALL : HELP_SCREEN);
	fail(0, "usage: sbx help [VERB [all]], not '%.40s'", str_shown(words[1]));
	return box_failed();
}

static int verb_complete(char **words)
{
	return complete_words(words, verbs);
}

static int verb_version(char **words)
{
	static const char *about[][2] = { SBX_ABOUT }, *libraries[][2] = { SBX_LIBRARIES };
	struct out out = { 0 };
	bool json = words[0] && str_equal(words[0], "--json");
	if (words[json]) {
		fail(0, "usage: sbx version [--json], not '%.40s'", str_shown(words[json]));
		return box_failed();
	}
	if (json) {
		json_begin(&out, "version");
		json_string(&out, "tool", "sbx");
		json_string(&out, "release", SBX_VERSION);
		for (size_t i = 0; i < sizeof(about) / sizeof(*about); i++)
			json_string(&out, about[i][0], about[i][1]);
		json_open(&out, "libraries", '[');
		for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
			json_open(&out, NULL, '{');
			json_string(&out, "name", libraries[i][0]);
			json_string(&out, "version", libraries[i][1]);
			json_close(&out, '}');
		}
		json_close(&out, ']');
		json_end(&out);
	} else {
		out_text(&out, "sbx %s\n", SBX_VERSION);
	}
	return out_flush(&out, STDOUT_FILENO) < 0 ? STATUS_FAILURE : STATUS_OK;
}

static const struct {
	const char *word;
	int (*verb)(char **words);
} words_alone[] = {
	{ "help", verb_help },
	{ "--help", verb_help },
	{ "-h", verb_help },
	{ "complete", verb_complete },
	{ "completion", complete_shell },
	{ "version", verb_version },
	{ "--version", verb_version },
	{ "-V", verb_version },
};

int main(int count, char **words)
{
	if (fd_fill_standard() < 0)
		return box_failed();
	if (count > 0 && str_equal(path_name(words[0]), "sbx-shell"))
		return verb_sbx_shell(words + 1);
	if (count < 2)
		return help_first();
	for (size_t i = 0; i < sizeof(words_alone) / sizeof(*words_alone); i++)
		if (str_equal(words_alone[i].word, words[1]))
			return words_alone[i].verb(words + 2);
	// "sbx -- COMMAND" and "sbx exec -- COMMAND" are runs.
	bool exec =
		str_equal(words[1], "exec") && words[2] && str_equal(words[2], "--") && words[3];
	bool options = words[1][0] == '-';
	unsigned row = exec || options ? ROW_RUN : row_of(words[1]);
	if (row < VERB_ROWS && !options && !has_action(row, words[2]))
		return box_failed();
	if (row < VERB_ROWS) {
		int status = verbs[row](words + (options ? 1 : 2));
		if (status == STATUS_HELP)
			return help_verb(1U << row,
					 str_equal(err_text(), "all") ? HELP_ALL : HELP_SCREEN);
		testing_left(status == STATUS_FAILURE ? "" : err_text());
		return status;
	}
	return unknown_verb(words + 1);
}
