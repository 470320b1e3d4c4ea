// Owns the answers to agents' hooks, and the reading of Codex CLI's record of trusted hooks:
// config.toml, as version 0.169 writes it.
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "agent/agent_settings.h"
#include "agent/agents.h"
#include "base/base.h"
#include "text/json.h"

static const char *front(struct arena *arena, const struct agent *agent, const char *program)
{
	return arena_text(arena, "%s run -p %s --report agent -c ", quote_word(arena, program),
			  agent->profile);
}

// True if `command` is `front` and one quoted word. All of it then runs in the box.
static bool is_boxed(const char *command, const char *front)
{
	if (!str_starts(command, front))
		return false;
	const char *at = command + strlen(front);
	do {
		if (*at++ != '\'')
			return false;
		at += strcspn(at, "'");
		if (*at++ != '\'')
			return false;
		if (*at == '\0')
			return true;
	} while (*at++ == '\\' && *at++ == '\'');
	return false;
}

static const char *updated(struct arena *arena, const char *question, const struct json *root,
			   const char *boxed)
{
	static const char *const path[] = { "tool_input", "command", NULL };
	struct json *changed;
	const char *text = json_set(arena, question, root, path, json_quote(arena, boxed));
	if (!text || json_parse(arena, text, strlen(text), &changed) < 0)
		return NULL;
	const struct json *input = json_member(changed, "tool_input");
	return arena_copy(arena, text + input->start, (size_t)(input->end - input->start));
}

int hook_answer(struct arena *arena, const struct agent *agent, const char *program,
		const char *question, size_t length, const char **ret_answer)
{
	struct json *root;
	TRY(json_parse(arena, question, length, &root));
	const struct json *input = json_member(root, "tool_input"),
			  *command = json_member(input, "command");
	*ret_answer = NULL;
	if (!command)
		return input ? 0 : fail(0, "the question has no tool_input");
	if (command->type != JSON_STRING)
		return fail(0, "the command is not a string");
	const char *before = front(arena, agent, program);
	const char *boxed = arena_text(arena, "%s%s", before, quote_word(arena, command->string));
	switch (agent->answer) {
	case HOOK_MERGES:
		*ret_answer =
			arena_text(arena,
				   "{\"hookSpecificOutput\": {\"hookEventName\": \"BeforeTool\", "
				   "\"tool_input\": {\"command\": %s}}}\n",
				   json_quote(arena, boxed));
		return 0;
	case HOOK_REFUSES:
		if (is_boxed(command->string, before))
			return 0;
		boxed = arena_text(
			arena,
			"commands run in a sandbox here; give exactly this command instead: %s",
			boxed);
		*ret_answer = arena_text(
			arena,
			"{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", "
			"\"permissionDecision\": \"deny\", \"permissionDecisionReason\": %s}}\n",
			json_quote(arena, boxed));
		return 0;
	case HOOK_UPDATES:
	case HOOK_ALLOWS:
		boxed = updated(arena, question, root, boxed);
		if (!boxed)
			return fail(0, "this question cannot be answered");
		*ret_answer = arena_text(
			arena,
			"{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", "
			"%s\"updatedInput\": %s}}\n",
			agent->answer == HOOK_ALLOWS ? "\"permissionDecision\": \"allow\", " : "",
			boxed);
		return 0;
	}
	return fail(0, "this agent has no form of answer");
}

const char *handback_path(struct arena *arena, const char *string)
{
	static const char ending[] = " && pwd -P >| ", first[] = "claude-", last[] = "-cwd";
	const char *found = NULL;
	for (const char *at = strstr(string, ending); at; at = strstr(at + 1, ending))
		found = at + strlen(ending);
	if (!found || found[0] != '/')
		return NULL;
	for (const char *at = found; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("/._-", *at))
			return NULL;
	const char *name = path_name(found);
	if (!str_starts(name, first) || !str_ends(name, last) ||
	    strlen(name) < sizeof(first) + sizeof(last) ||
	    !str_equal(path_clean(arena, found), found))
		return NULL;
	return found;
}

char *squeezed(struct arena *arena, const char *line, size_t length)
{
	char *copy = arena_copy(arena, line, length), *end = copy;
	for (const char *at = copy; *at; at++)
		if (!strchr(" \t\r", *at))
			*end++ = *at;
	*end = '\0';
	return copy;
}

enum hook_trust trust_of(struct arena *arena, const char *text, const char *file, unsigned entry,
			 unsigned hook)
{
	const char *record = arena_text(arena, "[hooks.state.\"%s:pre_tool_use:%u:%u\"]", file,
					entry, hook),
		   *section = "";
	record = squeezed(arena, record, strlen(record));
	bool trusted = false, off = false;
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		const char *line = squeezed(arena, text, length);
		if (str_starts(line, "[") && str_ends(line, "]"))
			section = line;
		bool here = str_equal(section, record);
		trusted |= here && str_starts(line, "trusted_hash=\"sha256:");
		off |= (here && str_starts(line, "enabled=false")) ||
		       (str_equal(section, "[features]") && str_starts(line, "hooks=false")) ||
		       (!section[0] && str_starts(line, "features.hooks=false"));
	}
	return off ? HOOK_OFF : trusted ? HOOK_TRUSTED : HOOK_UNTRUSTED;
}
