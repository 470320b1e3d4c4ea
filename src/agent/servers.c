// Owns the wrapping of MCP servers: `sbx mcp wrap -- COMMAND`, with the original COMMAND.
#include <string.h>

#include "agent/agent_settings.h"
#include "agent/agents.h"
#include "base/base.h"
#include "text/json.h"

struct servers {
	const struct settings *settings;
	bool back;
	struct out out;
	size_t done;
	struct servers_found found;
};

static void edit(struct servers *servers, size_t start, size_t end, const char *by)
{
	out_bytes(&servers->out, servers->settings->shape + servers->done, start - servers->done);
	out_text(&servers->out, "%s", by);
	servers->done = end;
}

static bool is_word(const struct json *value, const char *word)
{
	return value && value->type == JSON_STRING && str_equal(value->string, word);
}

static bool is_sbx(const struct json *program)
{
	return program->type == JSON_STRING && str_equal(path_name(program->string), "sbx");
}

// Returns the first word of a wrapped command, or NULL. `ret_marked`: "--" precedes the word.
static const struct json *wrapped(const struct json *program, const struct json *words,
				  bool *ret_marked)
{
	bool option = false;
	if (!is_sbx(program) || !is_word(words, "mcp") || !is_word(words->next, "wrap"))
		return NULL;
	words = words->next->next;
	if (words && !words->next && words->type == JSON_STRING && words->string[0] != '-')
		return words;
	for (; words && !is_word(words, "--"); words = words->next) {
		bool value = option;
		option = words->type == JSON_STRING && words->string[0] == '-';
		if (!option && !value)
			return NULL;
	}
	*ret_marked = true;
	return words ? words->next : NULL;
}

static void note_paths(struct servers *servers, const struct json *word)
{
	servers->found.count++;
	for (; word && !servers->back; word = word->next)
		if (word->type == JSON_STRING && word->string[0] == '/')
			list_add(&servers->found.paths, servers->settings->arena, word->string,
				 (struct origin){ 0 });
}

// Handles "command": "npx", "args": ["-y", ...]. `list` is NULL without "args".
static void wrap_pair(struct servers *servers, const struct json *command, const struct json *list)
{
	const struct settings *settings = servers->settings;
	struct arena *arena = settings->arena;
	bool marked = false, toml = str_ends(settings->path, ".toml");
	const struct json *first =
		list && list->first ? wrapped(command, list->first, &marked) : NULL;
	const struct json *own = first ? first : command;
	const char *by = arena_copy(arena, settings->shape + own->start, own->end - own->start);
	const char *words =
		arena_text(arena, "\"mcp\", \"wrap\", %s%s", list ? "\"--\", " : "", by);
	size_t start = !list         ? command->end
		       : list->first ? list->first->start
				     : list->start + 1,
	       end = start;
	if ((first != NULL) != servers->back || (!first && is_sbx(command)))
		return;
	note_paths(servers, list ? list->first : NULL);
	if (first && !marked && command->next == list)
		start = command->end, end = list->end;
	else if (first)
		end = first->next ? first->next->start : first->end;
	else if (!list)
		words = arena_text(arena, toml ? "\nargs = [%s]" : ", \"args\": [%s]", words);
	else if (list->first)
		words = arena_text(arena, "%s, ", words);
	by = first ? by : json_quote(arena, settings->program);
	if (start < command->start)
		edit(servers, start, end, first ? "" : words);
	edit(servers, command->start, command->end, by);
	if (start > command->start)
		edit(servers, start, end, first ? "" : words);
}

// Handles "command": ["npx", "-y", ...].
static void wrap_list(struct servers *servers, const struct json *words)
{
	bool marked = false;
	const struct json *first = wrapped(words, words->next, &marked);
	struct arena *arena = servers->settings->arena;
	const char *program = json_quote(arena, servers->settings->program);
	if ((first != NULL) != servers->back || (!first && is_sbx(words)))
		return;
	note_paths(servers, words->next);
	edit(servers, words->start, first ? first->start : words->start,
	     first ? "" : arena_text(arena, "%s, \"mcp\", \"wrap\", \"--\", ", program));
}

static int wrap_all(struct servers *servers, const struct json *all)
{
	for (const struct json *server = all ? all->first : NULL; server; server = server->next) {
		const struct json *command = json_member(server, "command"),
				  *list = json_member(server, "args"),
				  *word = command && command->type == JSON_ARRAY ? command->first
										 : command;
		if (!command)
			continue;
		if (!word || word->type != JSON_STRING || (list && list->type != JSON_ARRAY))
			return fail(0,
				    "%s: server '%.60s' does not have the form that %s documents; "
				    "nothing was written",
				    servers->settings->path,
				    str_shown(server->key ? server->key : ""),
				    servers->settings->agent->title);
		if (word == command)
			wrap_pair(servers, command, list);
		else
			wrap_list(servers, word);
	}
	return 0;
}

// Returns 1 for "[mcp_servers.NAME]", 0 for another table, -1 for servers in another form.
static int is_server(const char *header)
{
	static const char front[] = "[mcp_servers.";
	if (!str_starts(header, front))
		return strstr(header, "mcp_servers") ? -1 : 0;
	header += sizeof(front) - 1;
	return strpbrk(header, "\"'") ? -1 : !strchr(header, '.');
}

static void wrap_table(struct servers *servers, struct json values[2])
{
	bool list = values[1].end > 0;
	if (str_starts(servers->settings->text + values[0].end, "\nargs"))
		values[0].next = &values[1];
	if (values[0].end)
		wrap_pair(servers, &values[0], list ? &values[1] : NULL);
	memset(values, 0, 2 * sizeof(*values));
}

// Handles Codex CLI's TOML. Its strings and lists must also be JSON.
static int wrap_toml(struct servers *servers)
{
	struct arena *arena = servers->settings->arena;
	const char *text = servers->settings->text, *name = "", *mark = NULL;
	struct json values[2] = { 0 };
	int server = 0;
	for (size_t at = 0, end; text[at] && server >= 0; at = end + (text[end] != '\0')) {
		end = at + strcspn(text + at, "\n");
		const char *line = squeezed(arena, text + at, end - at);
		const char *key = arena_copy(arena, line, strcspn(line, "=#"));
		bool inside = mark != NULL, args = str_equal(key, "args");
		const char *next = arena_copy(arena, text + at, end - at);
		for (; (next = strstr(next, "\"\"\"")); next += 3)
			mark = mark ? NULL : next;
		if (inside)
			continue;
		if (key[0] == '[' && str_ends(key, "]")) {
			wrap_table(servers, values);
			name = key;
			server = is_server(key);
		} else if (server > 0 && (args || str_equal(key, "command"))) {
			at += strcspn(text + at, "=") + 1;
			bool good = json_parse_at(arena, text, at, &values[args]) &&
				    values[args].type == (args ? JSON_ARRAY : JSON_STRING);
			at = good ? values[args].end : at;
			at += strspn(text + at, " \t\r");
			end = at + strcspn(text + at, "\n");
			server = good && (text[at] == '#' || at == end) ? server : -1;
			mark = NULL;
		} else if (strpbrk(key, server > 0 ? "\"'" : "") || strstr(key, "mcp_servers")) {
			server = -1;
		}
	}
	wrap_table(servers, values);
	return server >= 0 && !mark
		       ? 0
		       : fail(0,
			      "%s: '%.80s' does not have the form [mcp_servers.NAME], command = "
			      "\"...\", args = [\"...\"]; nothing was written",
			      servers->settings->path, str_shown(name));
}

char *servers_text(const struct settings *settings, bool back, struct servers_found *ret_found)
{
	struct servers servers = { .settings = settings, .back = back };
	const char *own = settings->agent->path[0];
	int result = settings->root ? 0 : wrap_toml(&servers);
	for (const struct json *member = settings->root ? settings->root->first : NULL; member;
	     member = member->next) {
		bool projects = settings->agent->by_project && str_equal(member->key, "projects");
		if (str_equal(member->key, own))
			result |= wrap_all(&servers, member);
		for (const struct json *each = projects ? member->first : NULL; each;
		     each = each->next)
			result |= wrap_all(&servers, json_member(each, own));
	}
	edit(&servers, settings->length, settings->length, "");
	char *text = arena_copy(settings->arena, servers.out.used ? servers.out.text : "",
				servers.out.used);
	out_free(&servers.out);
	*ret_found = servers.found;
	return result < 0 ? NULL : text;
}
