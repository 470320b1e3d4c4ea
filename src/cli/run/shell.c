// sbx shell: the caller's shell in a box.
#include <unistd.h>

#include "agent/agents.h"
#include "base/err.h"
#include "run/run_command.h"
#include "cli/session/review.h"
#include "cli/verbs.h"

extern char **environ;

int verb_shell(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_SHELL, words) < 0)
		return box_failed();
	if (box->arguments.rest[0]) {
		fail(0, "shell takes options only, not '%.40s'; to run a command: sbx run",
		     box->arguments.rest[0]);
		return box_failed();
	}
	box_use_shell(box, NULL, box->arguments.rest);
	if (isatty(STDERR_FILENO) && !agent_of_environment(environ))
		box->invocation.person = ANSWER_YES;
	return review_prepare(box) < 0 ? box_failed() : run_command(box);
}
