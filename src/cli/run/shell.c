// sbx shell: the caller's shell in a box.
#include "base/err.h"
#include "cli/box.h"
#include "cli/help.h"
#include "cli/session/review.h"
#include "cli/verbs.h"

int verb_shell(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_SHELL, words) < 0)
		return box_failed();
	if (box->invocation.help)
		return help_verb(VERB_SHELL, box->invocation.help);
	if (box->arguments.rest[0]) {
		fail(0, "shell takes options only, not '%.40s'; to run a command: sbx run",
		     box->arguments.rest[0]);
		return box_failed();
	}
	box_use_shell(box, NULL, box->arguments.rest);
	return review_run(box);
}
