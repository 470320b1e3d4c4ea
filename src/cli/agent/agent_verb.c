// sbx agent: the settings of coding agents.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/agents.h"
#include "agent/hook.h"
#include "agent/probe.h"
#include "agent/settings.h"
#include "base/arena.h"
#include "base/diff.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/agent/agent_verb.h"
#include "cli/box.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "jail/outer.h"
#include "run/decide.h"

extern char **environ;

static const char *state_directory(struct arena *arena)
{
	return path_below(arena, decide_state_directory(arena, environ), "agents");
}

// This program, as agents are told: where it is installed.
static const char *own_path(struct arena *arena)
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
	fail(0, "there is no '%s': install sbx first, see its README", shell);
	return NULL;
}

static int open_settings(struct box *box, const char *name, struct settings *settings)
{
	*settings = (struct settings){ .arena = box->arena, .agent = agent_find(name) };
	if (!settings->agent)
		return -1;
	if (settings->agent->means == AGENT_BY_HAND)
		return fail(0, "%s: %s", settings->agent->title, settings->agent->by_hand);
	settings->state = state_directory(box->arena);
	settings->program = own_path(box->arena);
	return settings->program ? settings_read(settings, environ) : -1;
}

// A line of a list: its name, and words that are broken where the terminal ends.
static void line(struct out *out, const char *name, const char *text)
{
	enum { COLUMN = 13 };
	int length = (int)strlen(name);
	out_text(out, "%s", name);
	out_wrapped(out, COLUMN, length < COLUMN ? length : COLUMN, str_shown(text));
}

static bool show_only(struct box *box, const struct settings *settings, const char *text,
		      struct out *out)
{
	if (box->invocation.dry_run != ANSWER_YES)
		return false;
	out_text(out, text ? "%s would become:\n" : "%s would be removed:\n", settings->path);
	diff_lines(out, settings->text, text ? text : "");
	return true;
}

// Others may install at the same time. -1 with the error said, or a descriptor that holds the lock.
static int lock_settings(struct box *box)
{
	if (box->invocation.dry_run == ANSWER_YES)
		return dup(STDOUT_FILENO);
	autoclose int fd = owned_directory(state_directory(box->arena));
	TRY(fd);
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return fail(errno, "lock the settings of agents");
	return take(&fd);
}

static int show_and_fail(const struct settings *settings, const char *text, const char *why)
{
	struct out out = { 0 };
	diff_lines(&out, settings->text, text);
	out_flush(&out, STDOUT_FILENO);
	return fail(0, "%s: %s; nothing was written; --force does it", settings->path, why);
}

static int install(struct box *box, char **names, struct out *out)
{
	struct settings settings;
	TRY(agent_find(names[0]) ? 0 : -1);
	autoclose int lock = lock_settings(box);
	TRY(lock);
	TRY(open_settings(box, names[0], &settings));
	enum settings_found found = settings_find(&settings);
	const char *title = settings.agent->title;
	if (found == SETTINGS_OURS) {
		out_text(out, "%s: is installed; to see that it works: sbx agent status %s\n",
			 title, names[0]);
		return 0;
	}
	if (found == SETTINGS_OTHER && settings.agent->means == AGENT_HOOK)
		return fail(0, "%s has a hook of another sbx; first: sbx agent remove %s --force",
			    settings.path, names[0]);
	const char *text = settings_with(&settings);
	if (!text)
		return -1;
	if (found == SETTINGS_OTHER && box->invocation.force != ANSWER_YES)
		return show_and_fail(&settings, text, "the setting has another value already");
	if (show_only(box, &settings, text, out))
		return 0;
	TRY(settings_remember(&settings, text));
	TRY(settings_write(&settings, text));
	const char *profile = settings.agent->profile;
	out_text(out, "%s: from its next start each of its commands runs in a box\n", title);
	line(out, "  changed", settings.path);
	if (settings.exists)
		line(out, "  as it was", settings_kept(&settings, "before"));
	line(out, "  profile",
	     arena_text(box->arena, "%s; to change it: ~/.config/sbx/%s.ini", profile, profile));
	line(out, "  look", arena_text(box->arena, "sbx agent status %s", names[0]));
	if (settings.agent->trust)
		line(out, "  now",
		     arena_text(box->arena, "%s: until then commands run outside",
				settings.agent->trusting));
	line(out, "  note", settings.agent->caveat);
	return 0;
}

static int remove_agent(struct box *box, char **names, struct out *out)
{
	struct settings settings;
	TRY(agent_find(names[0]) ? 0 : -1);
	autoclose int lock = lock_settings(box);
	TRY(lock);
	TRY(open_settings(box, names[0], &settings));
	const char *text = settings.unchanged ? settings.before : settings_without(&settings);
	if (!settings.unchanged && !text)
		return -1;
	if (!settings.unchanged && box->invocation.force != ANSWER_YES)
		return show_and_fail(&settings, text, "was changed since sbx wrote it");
	if (show_only(box, &settings, text, out))
		return 0;
	TRY(settings_write(&settings, text));
	settings_forget(&settings);
	out_text(out, "%s: from its next start its commands run as they did before sbx\n",
		 settings.agent->title);
	return 0;
}

// When a command last came in by this agent: the time of a file, which a probe must not change.
static const char *seen_path(const struct settings *settings)
{
	return arena_text(settings->arena, "%s/%s.seen", settings->state, settings->agent->name);
}

static const char *seen_text(const struct settings *settings, const struct stat *status)
{
	struct tm time;
	char text[64];
	localtime_r(&status->st_mtim.tv_sec, &time);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &time);
	return arena_text(settings->arena, "last command of its own: %s", text);
}

static enum probed probe_unseen(const struct settings *settings, const char **ret_why,
				const char **ret_seen)
{
	struct stat status = { 0 };
	const char *path = seen_path(settings);
	bool seen = stat(path, &status) == 0;
	enum probed probed = probe_agent(settings, ret_why);
	struct timespec times[2] = { status.st_atim, status.st_mtim };
	*ret_seen =
		seen ? seen_text(settings, &status)
		     : "no command of its own came in yet; it reads its settings when it starts";
	if (seen)
		utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
	else
		unlink(path);
	return probed;
}

// What a probe said, when it did not land in a box.
static const char *outside(const struct settings *settings, enum probed probed, const char *why)
{
	const char *first = arena_copy(settings->arena, why, strcspn(why, "\n"));
	const char *shown = str_shown(first), *title = settings->agent->title;
	if (probed == PROBED_OUTSIDE)
		return arena_text(settings->arena,
				  "OUTSIDE: a probe, called as %s calls commands, was in no box",
				  title);
	return arena_text(settings->arena,
			  "FAILS: a probe, called as %s calls commands, failed: %s", title,
			  str_starts(shown, "sbx: ") ? shown + strlen("sbx: ") : shown);
}

// One agent in one to three lines. True when its commands land in a box.
static bool describe(const struct settings *settings, const char *project, struct out *out)
{
	struct arena *arena = settings->arena;
	const struct agent *agent = settings->agent;
	const char *why, *seen, *other = settings_overridden(settings, project);
	if (settings_find(settings) == SETTINGS_NONE) {
		line(out, agent->name,
		     arena_text(arena, "outside: not installed. Fix: sbx agent install %s",
				agent->name));
		return false;
	}
	if (other) {
		line(out, agent->name, arena_text(arena, "OUTSIDE: %s says otherwise", other));
		return false;
	}
	if (settings_trust(settings) != HOOK_TRUSTED) {
		line(out, agent->name,
		     arena_text(arena, "OUTSIDE: it does not run its hook, which is %s. Fix: %s",
				settings_trust(settings) == HOOK_OFF ? "switched off"
								     : "not trusted",
				agent->trusting));
		return false;
	}
	enum probed probed = probe_unseen(settings, &why, &seen);
	if (probed != PROBED_BOX) {
		line(out, agent->name, outside(settings, probed, why));
		return false;
	}
	line(out, agent->name, "in a box: so was a probe, called as it calls commands");
	line(out, "", seen);
	line(out, "", agent->caveat);
	return true;
}

static int show_one(struct box *box, const char *name, struct out *out, bool *ret_boxed)
{
	struct settings settings;
	const struct agent *agent = agent_find(name);
	*ret_boxed = false;
	if (agent && agent->means == AGENT_BY_HAND) {
		line(out, agent->name, arena_text(box->arena, "by hand: %s", agent->by_hand));
		return 0;
	}
	TRY(open_settings(box, name, &settings));
	decide_places(&box->plan, environ);
	*ret_boxed = describe(&settings, box->plan.toplevel, out);
	return 0;
}

// Inside of a box there is nothing to look at: to be here is the answer.
static int status_inside(struct out *out)
{
	const struct agent *agent = agent_of_environment(environ);
	if (outer_is_box()) {
		out_text(out, "this command runs in a box of sbx\n");
		return 0;
	}
	if (!agent)
		return 1;
	return fail(0,
		    "this command of %s runs in NO box; restart it, and look from outside: sbx "
		    "agent status %s",
		    agent->title, agent->name);
}

static int status(struct box *box, char **names, struct out *out)
{
	bool boxed = true;
	int inside = status_inside(out);
	if (inside <= 0)
		return inside;
	box->plan.arena = box->arena;
	if (names[0])
		TRY(show_one(box, names[0], out, &boxed));
	for (unsigned i = 0; !names[0] && i < agent_count; i++) {
		bool one;
		if (show_one(box, agents[i].name, out, &one) < 0) {
			line(out, agents[i].name,
			     arena_text(box->arena, "unknown: %s", err_text()));
			err_clear();
		}
	}
	if (boxed)
		return 0;
	out_flush(out, STDOUT_FILENO);
	return fail(0, "commands of %s do not land in a box", names[0]);
}

static int hook(struct box *box, char **names, struct out *out)
{
	const char *answer;
	struct arena *arena = box->arena;
	const struct agent *agent = agent_find(names[0]);
	const char *program = own_path(arena);
	char *question = arena_take(arena, QUESTION_BYTES_MOST);
	ssize_t got = fd_read_all(STDIN_FILENO, question, QUESTION_BYTES_MOST);
	if (!agent || !program)
		return -1;
	if (agent->means != AGENT_HOOK)
		return fail(0, "%s has no hooks", agent->title);
	if (got < 0 || got == QUESTION_BYTES_MOST)
		return fail(0, "a question that is too long");
	question[got] = '\0';
	// A box around the whole agent holds its commands, too.
	if (outer_is_box())
		return 0;
	TRY(hook_answer(arena, agent, program, question, (size_t)got, &answer));
	agent_seen(arena, agent);
	if (answer)
		out_text(out, "%s", answer);
	return 0;
}

void agent_seen(struct arena *arena, const struct agent *agent)
{
	const char *path = arena_text(arena, "%s/%s.seen", state_directory(arena), agent->name);
	// The directory is there when something was installed.
	int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd >= 0)
		futimens(fd, NULL);
	fd_close(&fd);
}

static int list(struct box *box, char **names, struct out *out)
{
	(void)names;
	for (unsigned i = 0; i < agent_count; i++)
		line(out, agents[i].name,
		     arena_text(box->arena, "%s%s", agents[i].title,
				agents[i].means == AGENT_BY_HAND ? " (by hand)" : ""));
	return 0;
}

static const struct action {
	const char *name;
	int (*run)(struct box *box, char **names, struct out *out);
	int least, most; // names
} actions[] = {
	{ "install", install, 1, 1 }, { "remove", remove_agent, 1, 1 }, { "status", status, 0, 1 },
	{ "list", list, 0, 0 },       { "hook", hook, 1, 1 }, // called by agents, not by people
};

int verb_agent(char **words)
{
	struct box *box = box_new();
	struct out out = { 0 };
	const struct action *chosen = NULL;
	char **names;
	int count = 0;
	if (box_read_mixed(box, VERB_AGENT, words, &names) < 0)
		return box_failed();
	if (box->invocation.help == ANSWER_YES)
		return help_verb(VERB_AGENT, "agent");
	for (size_t i = 0; names[0] && i < sizeof(actions) / sizeof(*actions); i++)
		if (str_equal(actions[i].name, names[0]))
			chosen = &actions[i];
	while (chosen && names[1 + count])
		count++;
	if (!chosen || count < chosen->least || count > chosen->most) {
		fail(0, "usage: sbx agent install AGENT | remove AGENT | status [AGENT] | list");
		return box_failed();
	}
	if (chosen->run(box, names + 1, &out) < 0)
		return box_failed();
	return out_flush(&out, STDOUT_FILENO) < 0 ? STATUS_FAILURE : STATUS_OK;
}
