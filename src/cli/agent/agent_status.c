// sbx agent status: tests whether commands of an agent run in a box.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent_settings.h"
#include "agent/agents.h"
#include "base/base.h"
#include "base/fd.h"
#include "cli/agent/agent_verb.h"
#include "report/print_fields.h"
#include "run/run_command.h"
#include "postcheck/acts/check.h"
#include "view/paths/wishes.h"

extern char **environ;

const char *agent_state_directory(struct arena *arena)
{
	return path_below(arena, decide_state_directory(arena, environ), "agents");
}

const char *agent_own_path(struct arena *arena)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (length <= 0) {
		fail(errno, "/proc/self/exe");
		return NULL;
	}
	path[length] = '\0';
	const char *shell = arena_text(arena, "%s-shell", path);
	if (access(shell, X_OK) == 0 && !strstr(path, " -"))
		return arena_copy(arena, path, (size_t)length);
	fail(0, "'%s' does not exist; install sbx first, see its README", shell);
	return NULL;
}

int agent_open(struct box *box, const struct agent *agent, struct settings *settings)
{
	*settings = (struct settings){ .arena = box->arena, .agent = agent };
	if (agent->means == AGENT_BY_HAND)
		return fail(0, "%s: %s", agent->title, agent->by_hand);
	settings->state = agent_state_directory(box->arena);
	settings->program = agent_own_path(box->arena);
	return settings->program ? settings_read(settings, environ) : -1;
}

void agent_line(struct out *out, const char *name, const char *text)
{
	enum { COLUMN = 13 };
	int length = (int)strlen(name);
	out_text(out, "%s", name);
	out_wrapped(out, COLUMN, length < COLUMN ? length : COLUMN, str_shown(text));
}

// The file's mtime is the time of the agent's last command. `sbx agent status` restores it after
// its test.
static const char *seen_path(struct arena *arena, const struct agent *agent)
{
	return arena_text(arena, "%s/%s.seen", agent_state_directory(arena), agent->name);
}

void agent_seen(struct arena *arena, const struct agent *agent)
{
	// Only an install makes the directory.
	int fd = open(seen_path(arena, agent),
		      O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd >= 0)
		futimens(fd, NULL);
	fd_close(&fd);
}

static const char *seen_text(const struct settings *settings, const struct stat *status)
{
	struct tm time;
	char text[64];
	localtime_r(&status->st_mtim.tv_sec, &time);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &time);
	return arena_text(settings->arena, "its last command: %s", text);
}

static enum probed probe_unseen(const struct settings *settings, const char **ret_why,
				const char **ret_seen)
{
	struct stat status = { 0 };
	const char *path = seen_path(settings->arena, settings->agent);
	bool seen = stat(path, &status) == 0;
	enum probed probed = probe_agent(settings, ret_why);
	struct timespec times[2] = { status.st_atim, status.st_mtim };
	*ret_seen = seen ? seen_text(settings, &status)
			 : "no command of this agent has been seen yet; it reads its settings when "
			   "it starts";
	if (seen)
		utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
	else
		unlink(path);
	return probed;
}

struct agent_answer {
	const char *name, *state; // `state`: a word for programs
	const char *text;
	const char *seen, *caveat; // NULL if the agent's commands run in no box
};

static void explain_outside(const struct settings *settings, enum probed probed, const char *why,
			    struct agent_answer *answer)
{
	const char *first = arena_copy(settings->arena, why, strcspn(why, "\n"));
	const char *shown = str_shown(first), *title = settings->agent->title;
	answer->state = probed == PROBED_OUTSIDE ? "outside" : "fails";
	answer->text =
		probed == PROBED_OUTSIDE
			? arena_text(settings->arena,
				     "OUTSIDE: a probe, called as %s calls commands, was in no box",
				     title)
			: arena_text(settings->arena,
				     "FAILS: a probe, called as %s calls commands, failed: %s",
				     title,
				     str_starts(shown, "sbx: ") ? shown + strlen("sbx: ") : shown);
}

static void describe(const struct settings *settings, const char *project,
		     struct agent_answer *answer)
{
	struct arena *arena = settings->arena;
	const struct agent *agent = settings->agent;
	const char *why, *seen, *other = settings_overridden(settings, project);
	if (settings_find(settings) == SETTINGS_NONE) {
		bool there = agent_on_path(agent, getenv("PATH")) ||
			     access(settings->directory, F_OK) == 0;
		answer->state = there ? "not-installed" : "absent";
		answer->text =
			there ? arena_text(arena,
					   "its commands run in no box. Fix: sbx agent install %s",
					   agent->name)
			      : "not on this machine";
		return;
	}
	if (other) {
		answer->state = "overridden";
		answer->text = arena_text(arena, "OUTSIDE: %s says otherwise", other);
		return;
	}
	if (settings_trust(settings) != HOOK_TRUSTED) {
		bool off = settings_trust(settings) == HOOK_OFF;
		answer->state = off ? "hook-off" : "hook-untrusted";
		answer->text =
			arena_text(arena, "OUTSIDE: it does not run its hook, which is %s. Fix: %s",
				   off ? "switched off" : "not trusted", agent->trusting);
		return;
	}
	enum probed probed = probe_unseen(settings, &why, &seen);
	if (probed != PROBED_BOX) {
		explain_outside(settings, probed, why, answer);
		return;
	}
	answer->state = "in-box";
	answer->text = "in a box, as was a test command that was called the same way";
	answer->seen = seen;
	answer->caveat = agent->caveat;
}

static int ask(struct box *box, const char *name, struct agent_answer *answer)
{
	struct settings settings;
	const struct agent *agent = agent_find(name, false);
	*answer = (struct agent_answer){ .name = name };
	TRY(agent ? 0 : -1);
	if (agent->means == AGENT_BY_HAND) {
		bool there = agent_on_path(agent, getenv("PATH"));
		answer->state = there ? "by-hand" : "absent";
		answer->text = there ? arena_text(box->arena, "by hand: %s", agent->by_hand)
				     : "not on this machine";
		return 0;
	}
	TRY(agent_open(box, agent, &settings));
	describe(&settings, box->plan.toplevel, answer);
	return 0;
}

static void put_answer(const struct agent_answer *answer, struct out *out)
{
	print_one(out, MEMBER("name", answer->name), MEMBER("state", answer->state),
		  MEMBER_FLAG("in_box", answer->seen != NULL), MEMBER("detail", answer->text),
		  MEMBER("seen", answer->seen), MEMBER("caveat", answer->caveat));
	if (out->json)
		return;
	agent_line(out, answer->name, answer->text);
	if (!answer->seen)
		return;
	agent_line(out, "", answer->seen);
	agent_line(out, "", answer->caveat);
}

static int status_inside(struct out *out)
{
	const struct agent *agent = agent_of_environment(environ);
	if (outer_is_box()) {
		if (out->json)
			put_answer(
				&(struct agent_answer){ .name = agent ? agent->name : "",
							.state = "in-box",
							.text = "this command runs in a box of sbx",
							.seen = "now",
							.caveat = "" },
				out);
		else
			out_text(out, "this command runs in a box of sbx\n");
		return 0;
	}
	if (!agent)
		return 1;
	return fail(0,
		    "this command of %s runs in NO box; restart it, then check from outside: sbx "
		    "agent status %s",
		    agent->title, agent->name);
}

static int ask_all(struct box *box, const char *name, bool *ret_boxed, struct out *out)
{
	struct agent_answer answer;
	int inside = status_inside(out);
	if (inside <= 0)
		return inside;
	box->plan.arena = box->arena;
	decide_places(&box->plan, environ);
	if (name) {
		TRY(ask(box, name, &answer));
		put_answer(&answer, out);
		*ret_boxed = answer.seen != NULL;
	}
	for (const struct agent *agent = agents; !name && agent->name; agent++) {
		if (ask(box, agent->name, &answer) < 0) {
			answer.state = "unknown";
			answer.text = arena_text(box->arena, "unknown: %s", err_taken());
		}
		put_answer(&answer, out);
	}
	return 0;
}

int agent_status(struct box *box, char **names, struct out *out)
{
	bool boxed = true;
	out->json = box->invocation.json == TOGGLE_YES;
	print_begin(out, "agents", "agents");
	TRY(ask_all(box, names[0], &boxed, out));
	print_end(out, "agents");
	if (!out->json && box->plan.toplevel) {
		struct unshown_line line;
		unsigned count = 0;
		const char *at = unshown_text(box->arena, box->plan.state, box->plan.toplevel);
		while (unshown_next(box->arena, &at, &line))
			if (line.state == 'u')
				out_text(out, "%s%s",
					 count++ ? ", "
						 : "changed here by boxes, and your own programs "
						   "will run it: ",
					 str_shown(line.path));
		out_text(out, count ? "\n" : "");
	}
	if (boxed)
		return 0;
	out_flush(out, STDOUT_FILENO);
	return fail(0, "commands of %s do not land in a box", names[0]);
}
