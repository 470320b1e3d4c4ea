// sbx run: a command, or with -c a string for the shell, in a box-> Also sbx-shell.

#include "base/arena.h"
#include "base/err.h"
#include "cli/box.h"
#include "cli/help.h"
#include "cli/review.h"
#include "cli/verbs.h"

int verb_run(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_RUN, words) < 0)
		return box_failed();
	if (box->invocation.help == ANSWER_YES)
		return help_verb(VERB_RUN, "run");
	if (box->invocation.shell_string)
		box_use_shell(box, box->invocation.shell_string, box->arguments.rest);
	if (!box->invocation.command[0]) {
		fail(0, "no command given; usage: sbx run [OPTION]... [--] COMMAND [ARGUMENT]...");
		return box_failed();
	}
	return review_run(box);
}

// One word is a whole shell string, as agents give it; anything else are the shell's own words
// (-c STRING, -l -c STRING name..., -lc STRING). No word at all: an interactive shell.
int verb_sbx_shell(char **words)
{
	struct box *box = box_new();
	box->arguments.all = words;
	box->invocation.terse = ANSWER_YES; // an agent's model reads what we print
	bool string = words[0] && !words[1] && words[0][0] != '-';
	box_use_shell(box, string ? words[0] : NULL, string ? words + 1 : words);
	return box_run(box);
}
