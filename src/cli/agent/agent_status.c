// sbx agent status: whether commands of an agent land in a box, shown by a probe.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/agents.h"
#include "agent/probe.h"
#include "agent/settings.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/agent/agent_verb.h"
#include "cli/box.h"
#include "jail/outer.h"
#include "run/decide.h"

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
	fail(0, "there is no '%s': install sbx first, see its README", shell);
	return NULL;
}

int agent_open(struct box *box, const char *name, struct settings *settings)
{
	*settings = (struct settings){ .arena = box->arena, .agent = agent_find(name) };
	if (!settings->agent)
		return -1;
	if (settings->agent->means == AGENT_BY_HAND)
		return fail(0, "%s: %s", settings->agent->title, settings->agent->by_hand);
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

void agent_seen(struct arena *arena, const struct agent *agent)
{
	const char *path =
		arena_text(arena, "%s/%s.seen", agent_state_directory(arena), agent->name);
	// The directory is there when something was installed.
	int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd >= 0)
		futimens(fd, NULL);
	fd_close(&fd);
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
		agent_line(out, agent->name,
			   arena_text(arena, "outside: not installed. Fix: sbx agent install %s",
				      agent->name));
		return false;
	}
	if (other) {
		agent_line(out, agent->name,
			   arena_text(arena, "OUTSIDE: %s says otherwise", other));
		return false;
	}
	if (settings_trust(settings) != HOOK_TRUSTED) {
		agent_line(out, agent->name,
			   arena_text(arena,
				      "OUTSIDE: it does not run its hook, which is %s. Fix: %s",
				      settings_trust(settings) == HOOK_OFF ? "switched off"
									   : "not trusted",
				      agent->trusting));
		return false;
	}
	enum probed probed = probe_unseen(settings, &why, &seen);
	if (probed != PROBED_BOX) {
		agent_line(out, agent->name, outside(settings, probed, why));
		return false;
	}
	agent_line(out, agent->name, "in a box: so was a probe, called as it calls commands");
	agent_line(out, "", seen);
	agent_line(out, "", agent->caveat);
	return true;
}

static int show_one(struct box *box, const char *name, struct out *out, bool *ret_boxed)
{
	struct settings settings;
	const struct agent *agent = agent_find(name);
	*ret_boxed = false;
	if (agent && agent->means == AGENT_BY_HAND) {
		agent_line(out, agent->name, arena_text(box->arena, "by hand: %s", agent->by_hand));
		return 0;
	}
	TRY(agent_open(box, name, &settings));
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

int agent_status(struct box *box, char **names, struct out *out)
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
			agent_line(out, agents[i].name,
				   arena_text(box->arena, "unknown: %s", err_text()));
			err_clear();
		}
	}
	if (boxed)
		return 0;
	out_flush(out, STDOUT_FILENO);
	return fail(0, "commands of %s do not land in a box", names[0]);
}
