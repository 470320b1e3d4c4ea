// sbx run: runs a command, or with -c a string for the shell, in a box. Also sbx shell and
// sbx-shell.

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agents.h"
#include "base/base.h"
#include "base/fd.h"
#include "cli/agent/agent_verb.h"
#include "cli/run/result.h"
#include "run/run_command.h"
#include "cli/session/sessions.h"
#include "cli/verbs.h"
#include "policy/keys.h"
#include "view/paths/wishes.h"

extern char **environ;

static int start(struct box *box)
{
	if (isatty(STDERR_FILENO) && !agent_of_environment(environ))
		box->invocation.person = TOGGLE_YES;
	return review_prepare(box) < 0 || result_prepare(box) < 0
		       ? box_refused(box, (char *const[]){ NULL })
		       : run_command(box);
}

static int read_run(struct box *box, char **words)
{
	TRY(box_read(box, VERB_RUN, words));
	if (box->invocation.shell_string)
		box_use_shell(box, box->invocation.shell_string, box->arguments.rest);
	if (!box->invocation.command[0])
		return fail(0, "no command given; usage: sbx run [OPTION]... [--] COMMAND "
			       "[ARGUMENT]...");
	if (box->invocation.terminal == TOGGLE_YES && box->invocation.detach != TOGGLE_YES)
		return fail(0, "--tty is for --detach; leave it out: in the foreground the command "
			       "has your terminal");
	return 0;
}

int verb_run(char **words)
{
	struct box *box = box_new();
	int status = 0;
	if (read_run(box, words) < 0)
		return box_refused(box, words);
	int parted = box->invocation.detach == TOGGLE_YES ? background_begin(box, &status) : 0;
	if (parted != 0)
		return parted < 0 ? box_refused(box, words) : status;
	return start(box);
}

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
	return start(box);
}

// Removes an empty handback file: a command that failed did not write it, and the agent must not
// find an old one.
static int end_handback(struct box *box, const struct ending *ending, int status)
{
	(void)ending;
	struct stat file;
	if (lstat(box->handback, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0)
		unlink(box->handback);
	return status;
}

// Makes the file that an agent reads after its command writable in the box.
static int pass_handback(struct box *box, const char *string)
{
	const char *const places[] = { getenv("CLAUDE_CODE_TMPDIR"), getenv("TMPDIR"), "/tmp" };
	const char *path = string ? handback_path(box->arena, string) : NULL;
	bool known = false;
	for (size_t i = 0; path && i < sizeof(places) / sizeof(*places); i++)
		known = known || (places[i] && places[i][0] == '/' &&
				  str_equal(path_parent(box->arena, path),
					    path_clean(box->arena, places[i])));
	if (!known)
		return 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(errno, "make '%s'", path);
	fd_close(&fd);
	struct argument *set = arena_take(box->arena, sizeof(*set));
	*set = (struct argument){ .key = key_find("files", "write"), .value = path };
	box->arguments.set = set;
	box->arguments.count = 1;
	box->handback = path;
	box->after = end_handback;
	return 0;
}

// Only executes the command: a box around the whole agent contains it.
static int run_inside(struct box *box)
{
	execv(box->invocation.command[0], box->invocation.command);
	fail(errno, "run '%s'", box->invocation.command[0]);
	return box_failed();
}

// One word is a shell string of an agent. Other words are a shell's (-c STRING, -l -c STRING
// name..., -lc STRING). No word: an interactive shell.
int verb_sbx_shell(char **words)
{
	struct box *box = box_new();
	const struct agent *agent = agent_of_environment(environ);
	box->arguments.all = words;
	box->invocation.terse = TOGGLE_YES; // an agent's model reads the output
	bool string = words[0] && !words[1] && words[0][0] != '-';
	box_use_shell(box, string ? words[0] : NULL, string ? words + 1 : words);
	if (outer_is_box())
		return run_inside(box);
	if (agent) {
		agent_seen(box->arena, agent);
		list_add(&box->invocation.profiles, box->arena, agent->profile,
			 (struct origin){ .file = agent->marker });
		if (pass_handback(box, string ? words[0] : NULL) < 0)
			return box_failed();
	} else { // an unknown agent: lines that agents' profiles have
		box_set_first(box, "files", "hide-untracked", ".env.*");
		box_set_first(box, "files", "hide-untracked", ".env");
	}
	return run_command(box);
}
