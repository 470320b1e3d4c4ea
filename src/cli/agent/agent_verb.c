// sbx agent: the settings of coding agents.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "agent/agent_settings.h"
#include "agent/agents.h"
#include "base/base.h"
#include "base/fd.h"
#include "cli/agent/agent_verb.h"
#include "run/run_command.h"
#include "cli/verbs.h"
#include "text/words.h"
#include "view/paths/wishes.h"

extern char **environ;

static bool show_only(struct box *box, const struct settings *settings, const char *text,
		      struct out *out)
{
	if (box->invocation.dry_run != ANSWER_YES)
		return false;
	out_text(out, text ? "%s would become:\n" : "%s would be removed:\n", settings->path);
	diff_lines(out, settings->text, text ? text : "");
	return true;
}

// Waits for others who install. Returns a descriptor that holds the lock, or -1 with the error
// said.
static int lock_settings(struct box *box)
{
	if (box->invocation.dry_run == ANSWER_YES)
		return dup(STDOUT_FILENO);
	autoclose int fd = owned_directory(agent_state_directory(box->arena));
	TRY(fd);
	return fd_lock(fd, LOCK_EX) < 0 ? fail(errno, "lock the settings of agents") : take(&fd);
}

static int show_and_fail(const struct settings *settings, const char *text, const char *why)
{
	struct out out = { 0 };
	diff_lines(&out, settings->text, text);
	out_flush(&out, STDOUT_FILENO);
	return fail(0, "%s: %s; nothing was written; --force does it", settings->path, why);
}

// Prints what the user still has to do beside the change of settings.
static void print_needs(struct box *box, const struct settings *settings, struct out *out)
{
	const struct agent *agent = settings->agent;
	if (!agent_on_path(agent, getenv("PATH")))
		agent_line(out, "  note",
			   arena_text(box->arena, "%s is in no directory of your PATH",
				      agent->program));
	if (agent->trust)
		agent_line(out, "  now",
			   arena_text(box->arena, "%s: until then commands run outside",
				      agent->trusting));
	agent_line(out, "  note", agent->caveat);
	if (agent->login)
		agent_line(out, "  log-in",
			   arena_text(box->arena,
				      "%s is not in the boxes of its commands; with -p %s it is, "
				      "and commands can read it",
				      agent->login, agent->name));
}

// `back`: restores the servers' own lines.
static int lead_servers(struct box *box, const char *name, bool back, struct out *out)
{
	struct settings settings;
	unsigned count;
	TRY(agent_open(box, name, &settings));
	const char *text = servers_text(&settings, back, &count);
	if (!text)
		return -1;
	if (count == 0)
		out_text(out, "%s: %s has no server that is %s\n", settings.agent->title,
			 settings.path, back ? "in a box" : "started in no box");
	if (count == 0 || show_only(box, &settings, text, out))
		return 0;
	TRY(settings_write(&settings, text));
	out_text(out, "%s: from its next start %u server%s of MCP run%s %s\n",
		 settings.agent->title, count, count == 1 ? "" : "s", count == 1 ? "s" : "",
		 back ? "as before sbx" : "in a box");
	agent_line(out, "  changed", settings.path);
	if (!back && settings.agent->caveat)
		agent_line(out, "  note", settings.agent->caveat);
	if (!back)
		agent_line(out, "  keys", "to give a server its key: man sbx-mcp");
	return 0;
}

static int install(struct box *box, char **names, struct out *out)
{
	struct settings settings;
	TRY(agent_find(names[0], box->invocation.servers) ? 0 : -1);
	autoclose int lock = lock_settings(box);
	TRY(lock);
	if (box->invocation.servers)
		return lead_servers(box, names[0], false, out);
	TRY(agent_open(box, names[0], &settings));
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
	if (show_only(box, &settings, text, out)) {
		print_needs(box, &settings, out);
		return 0;
	}
	TRY(saved_store(&settings, text));
	TRY(settings_write(&settings, text));
	const char *profile = settings.agent->profile;
	out_text(out, "%s: from its next start each of its commands runs in a box\n", title);
	agent_line(out, "  changed", settings.path);
	if (settings.exists)
		agent_line(out, "  as it was", saved_path(&settings, "before"));
	agent_line(
		out, "  profile",
		arena_text(box->arena, "%s; to change it: ~/.config/sbx/%s.ini", profile, profile));
	agent_line(out, "  look", arena_text(box->arena, "sbx agent status %s", names[0]));
	print_needs(box, &settings, out);
	return 0;
}

static int remove_one(struct box *box, const char *name, struct out *out)
{
	struct settings settings;
	if (box->invocation.servers)
		return lead_servers(box, name, true, out);
	TRY(agent_open(box, name, &settings));
	bool unchanged =
		settings.written && settings.exists && str_equal(settings.written, settings.text);
	const char *text = unchanged ? settings.before : settings_without(&settings);
	if (!unchanged && !text)
		return -1;
	if (!unchanged && box->invocation.force != ANSWER_YES)
		return show_and_fail(&settings, text, "was changed since sbx wrote it");
	if (show_only(box, &settings, text, out))
		return 0;
	TRY(settings_write(&settings, text));
	saved_remove(&settings);
	out_text(out, "%s: from its next start its commands run as they did before sbx\n",
		 settings.agent->title);
	return 0;
}

// An agent that cannot be removed does not stop the removal of the others.
static int remove_all(struct box *box, struct out *out)
{
	int result = 0;
	unsigned removed = 0;
	struct settings settings;
	for (unsigned i = 0; i < agent_count && !box->invocation.servers; i++) {
		if (agents[i].means == AGENT_BY_HAND)
			continue;
		if (ATTEMPT(agent_open(box, agents[i].name, &settings)) == 0 &&
		    settings_find(&settings) == SETTINGS_NONE)
			continue;
		removed++;
		if (result < 0)
			(void)ATTEMPT(remove_one(box, agents[i].name, out));
		else
			result = remove_one(box, agents[i].name, out);
	}
	for (unsigned i = 0; i < server_agent_count && box->invocation.servers; i++) {
		unsigned count = 0;
		bool known = ATTEMPT(agent_open(box, server_agents[i].name, &settings)) == 0 &&
			     ATTEMPT(servers_text(&settings, true, &count) ? 0 : -1) == 0;
		if (!known || count == 0)
			continue;
		removed++;
		result |= lead_servers(box, server_agents[i].name, true, out);
	}
	if (!removed)
		out_text(out, "no agent is installed\n");
	return result;
}

static int remove_agent(struct box *box, char **names, struct out *out)
{
	bool all = box->invocation.all == ANSWER_YES;
	if (all == (names[0] != NULL))
		return fail(0, "usage: sbx agent remove AGENT | remove --all");
	TRY(all || agent_find(names[0], box->invocation.servers) ? 0 : -1);
	autoclose int lock = lock_settings(box);
	TRY(lock);
	return all ? remove_all(box, out) : remove_one(box, names[0], out);
}

static int hook(struct box *box, char **names, struct out *out)
{
	const char *answer;
	struct arena *arena = box->arena;
	const struct agent *agent = agent_find(names[0], false);
	const char *program = agent_own_path(arena);
	char *question = arena_take(arena, QUESTION_BYTES_MAX);
	ssize_t got = fd_read_all(STDIN_FILENO, question, QUESTION_BYTES_MAX);
	if (!agent || !program)
		return -1;
	if (agent->means != AGENT_HOOK)
		return fail(0, "%s has no hooks", agent->title);
	if (got < 0 || got == QUESTION_BYTES_MAX)
		return fail(0, "a question that is too long");
	question[got] = '\0';
	// A box around the whole agent already holds its commands.
	if (outer_is_box())
		return 0;
	TRY(hook_answer(arena, agent, program, question, (size_t)got, &answer));
	agent_seen(arena, agent);
	if (answer)
		out_text(out, "%s", answer);
	return 0;
}

static int list(struct box *box, char **names, struct out *out)
{
	(void)names;
	for (unsigned i = 0; i < agent_count; i++)
		agent_line(out, agents[i].name,
			   arena_text(box->arena, "%s%s", agents[i].title,
				      agents[i].means == AGENT_BY_HAND ? " (by hand)" : ""));
	return 0;
}

static const struct agent_action {
	const char *name;
	int (*run)(struct box *box, char **names, struct out *out);
	int least_names, most_names;
} actions[] = {
	{ "install", install, 1, 1 },     { "remove", remove_agent, 0, 1 },
	{ "status", agent_status, 0, 1 }, { "list", list, 0, 0 },
	{ "hook", hook, 1, 1 }, // called by agents, not by people
};

int verb_agent(char **words)
{
	struct box *box = box_new();
	struct out out = { 0 };
	const struct agent_action *chosen = NULL;
	char **names;
	int count = 0;
	if (box_read_mixed(box, VERB_AGENT, words, &names) < 0)
		return box_failed();
	for (size_t i = 0; names[0] && i < sizeof(actions) / sizeof(*actions); i++)
		if (str_equal(actions[i].name, names[0]))
			chosen = &actions[i];
	while (chosen && names[1 + count])
		count++;
	if (!chosen || count < chosen->least_names || count > chosen->most_names ||
	    (box->invocation.all == ANSWER_YES && chosen->run != remove_agent))
		return box_done(&out, fail(0, "usage: sbx agent install AGENT | remove "
					      "AGENT|--all | status [--json] [AGENT] | list"));
	bool json = box->invocation.json == ANSWER_YES && chosen->run != agent_status;
	return box_done(&out, json ? fail(0, "--json is for sbx agent status")
				   : chosen->run(box, names + 1, &out));
}
