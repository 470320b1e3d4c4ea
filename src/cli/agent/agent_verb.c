// sbx agent: the settings of coding agents.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent_settings.h"
#include "agent/agents.h"
#include "base/base.h"
#include "base/fd.h"
#include "cli/agent/agent_verb.h"
#include "run/run_command.h"
#include "cli/verbs.h"
#include "text/json.h"
#include "text/words.h"
#include "view/paths/wishes.h"

extern char **environ;

static bool show_only(struct box *box, const struct settings *settings, const char *text,
		      struct out *out)
{
	if (box->invocation.dry_run != TOGGLE_YES)
		return false;
	out_text(out, text ? "%s would become:\n" : "%s would be removed:\n", settings->path);
	diff_lines(out, settings->text, text ? text : "");
	return true;
}

// Waits for other installs. Returns a descriptor that holds the lock, or -1.
static int lock_settings(struct box *box)
{
	if (box->invocation.dry_run == TOGGLE_YES)
		return dup(STDOUT_FILENO);
	return owned_lock(agent_state_directory(box->arena));
}

static int show_and_fail(const struct settings *settings, const char *text, const char *why)
{
	struct out out = { 0 };
	diff_lines(&out, settings->text, text);
	out_flush(&out, STDOUT_FILENO);
	return fail(0, "%s: %s; nothing was written; --force does it", settings->path, why);
}

// Prints what the user must do besides the change of settings.
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

static void print_unseen(struct box *box, const struct list *paths, struct out *out)
{
	const char *home = decide_home(box->arena, environ);
	list_each (item, paths) {
		struct stat status;
		const char *place = path_parent(box->arena, item->text);
		if (!path_within(item->text, home))
			continue;
		if (str_equal(place, home) ||
		    (stat(item->text, &status) == 0 && S_ISDIR(status.st_mode)))
			place = item->text;
		agent_line(out, "  paths",
			   arena_text(box->arena,
				      "a server names %s, which its box lacks unless the project "
				      "has it; to show it, write behind \"wrap\" in its entry: "
				      "\"-r\", %s,",
				      item->text, json_quote(box->arena, place)));
	}
}

// Wraps an agent's MCP servers in `sbx mcp wrap`, or (`back`) restores their lines.
static int wrap_servers(struct box *box, const struct agent *agent, bool back, struct out *out)
{
	struct settings settings;
	struct servers_found found;
	TRY(agent_open(box, agent, &settings));
	const char *text = servers_text(&settings, back, &found);
	if (!text)
		return -1;
	const unsigned count = found.count;
	if (count == 0)
		out_text(out, "%s: %s names no server that %s\n", settings.agent->title,
			 settings.path, back ? "is in a box" : "is started outside a box");
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
	print_unseen(box, &found.paths, out);
	return 0;
}

static int install(struct box *box, char **names, struct out *out)
{
	struct settings settings;
	const struct agent *agent = agent_find(names[0], box->invocation.servers);
	TRY(agent ? 0 : -1);
	autoclose int lock = lock_settings(box);
	TRY(lock);
	if (agent->means == AGENT_SERVERS)
		return wrap_servers(box, agent, false, out);
	TRY(agent_open(box, agent, &settings));
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
	if (found == SETTINGS_OTHER && box->invocation.force != TOGGLE_YES)
		return show_and_fail(&settings, text, "the setting has another value already");
	if (show_only(box, &settings, text, out)) {
		print_needs(box, &settings, out);
		return 0;
	}
	TRY(saved_store(&settings, text));
	TRY(settings_write(&settings, text));
	const char *profile = settings.agent->profile;
	out_text(out, "%s: from its next start%s each of its commands runs in a box\n", title,
		 settings.agent->trust ? ", once you trust its hook," : "");
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

static bool is_unchanged(const struct settings *settings)
{
	return settings->written && settings->exists &&
	       str_equal(settings->written, settings->text);
}

static int remove_part(struct box *box, const struct agent *agent, struct out *out)
{
	struct settings settings;
	if (agent->means == AGENT_SERVERS)
		return wrap_servers(box, agent, true, out);
	TRY(agent_open(box, agent, &settings));
	bool unchanged = is_unchanged(&settings);
	const char *text = unchanged ? settings.before : settings_without(&settings);
	if (!unchanged && !text)
		return -1;
	if (!unchanged && box->invocation.force != TOGGLE_YES)
		return show_and_fail(&settings, text, "was changed since sbx wrote it");
	if (show_only(box, &settings, text, out))
		return 0;
	TRY(settings_write(&settings, text));
	saved_remove(&settings);
	out_text(out, "%s: from its next start its commands run as they did before sbx\n",
		 settings.agent->title);
	return 0;
}

// True if sbx changed the settings. Also true for settings that cannot be read: the removal says
// why.
static bool has_part(struct box *box, const struct agent *agent, bool *ret_unchanged)
{
	FORGIVING;
	struct settings settings;
	struct servers_found found;
	*ret_unchanged = false;
	if (agent->means == AGENT_BY_HAND)
		return false;
	if (agent_open(box, agent, &settings) < 0)
		return agent->means != AGENT_SERVERS;
	if (agent->means == AGENT_SERVERS)
		return servers_text(&settings, true, &found) && found.count > 0;
	*ret_unchanged = is_unchanged(&settings);
	return settings_find(&settings) != SETTINGS_NONE;
}

// Removes unchanged settings first: an agent's settings and servers can be in one file, which a
// removal changes. A failed removal does not stop the others. `name` NULL: all agents.
static int remove_parts(struct box *box, const char *name, unsigned *ret_count, struct out *out)
{
	enum pass { PASS_AS_WRITTEN, PASS_SERVERS, PASS_REST };
	bool unchanged;
	int result = 0;
	unsigned done = 0; // bits of `agents`
	*ret_count = 0;
	for (enum pass pass = PASS_AS_WRITTEN; pass <= PASS_REST; pass++) {
		const struct agent *agent = pass == PASS_SERVERS ? server_agents : agents;
		for (; agent->name && (pass == PASS_SERVERS || !box->invocation.servers); agent++) {
			if ((name && !str_equal(agent->name, name)) ||
			    !has_part(box, agent, &unchanged) ||
			    (pass == PASS_AS_WRITTEN && !unchanged) ||
			    (pass == PASS_REST && done & 1U << (agent - agents)))
				continue;
			++*ret_count;
			done |= pass == PASS_AS_WRITTEN ? 1U << (agent - agents) : 0;
			if (result < 0)
				(void)ATTEMPT(remove_part(box, agent, out));
			else
				result = remove_part(box, agent, out);
		}
	}
	return result;
}

static int remove_agent(struct box *box, char **names, struct out *out)
{
	bool all = box->invocation.all == TOGGLE_YES, servers = box->invocation.servers;
	unsigned count;
	if (all == (names[0] != NULL))
		return fail(0, "usage: sbx agent remove AGENT | remove --all");
	const struct agent *agent = all ? NULL : agent_row(server_agents, names[0]);
	if (!all && (!agent || agent_row(agents, names[0])))
		TRY((agent = agent_find(names[0], servers)) ? 0 : -1);
	autoclose int lock = lock_settings(box);
	TRY(lock);
	TRY(remove_parts(box, names[0], &count, out));
	if (count == 0 && agent)
		return remove_part(box, agent, out); // fails with the reason
	if (count == 0)
		out_text(out, "no agent is installed\n");
	return 0;
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
	// In a box around the whole agent, its commands need no other box.
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
	for (const struct agent *agent = agents; agent->name; agent++)
		agent_line(out, agent->name,
			   arena_text(box->arena, "%s%s", agent->title,
				      agent->means == AGENT_BY_HAND ? " (by hand)" : ""));
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
	    (box->invocation.all == TOGGLE_YES && chosen->run != remove_agent))
		return box_done(&out, fail(0, "usage: sbx agent install AGENT | remove "
					      "AGENT|--all | status [--json] [AGENT] | list"));
	bool json = box->invocation.json == TOGGLE_YES && chosen->run != agent_status;
	return box_done(&out, json ? fail(0, "--json is for sbx agent status")
				   : chosen->run(box, names + 1, &out));
}
