// Owns the reading of a client's messages, and the form of answers (JSON-RPC 2.0).
#include "mcp/protocol.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "text/json.h"

enum { ID_MAX = 64, NUMBER_DIGITS = 15, WORDS_MAX = 32 };

static bool is_number(const char *text, const struct json *value)
{
	size_t length = value->end - value->start;
	return value->type == JSON_OTHER && length <= NUMBER_DIGITS &&
	       strspn(text + value->start, "0123456789") >= length;
}

static const char *string_of(const struct json *value)
{
	return value && value->type == JSON_STRING ? value->string : "";
}

static const char *raw(struct arena *arena, const char *text, const struct json *value)
{
	return arena_copy(arena, text + value->start, value->end - value->start);
}

// Returns a string or a number as JSON. NULL: it is neither, or too long.
static const char *token_of(struct arena *arena, const char *text, const struct json *value)
{
	if (!value || value->end - value->start > ID_MAX)
		return NULL;
	return value->type == JSON_STRING ? json_quote(arena, value->string)
	       : is_number(text, value)   ? raw(arena, text, value)
					  : NULL;
}

static void put_error(struct out *out, const char *id, int code, const char *problem)
{
	out_text(out,
		 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"%s\"}}\n", id,
		 code, problem);
}

// Answers a request other than tools/call. Returns NULL for an unknown method.
static const char *answer_of(struct arena *arena, const struct mcp_tools *tools, const char *method,
			     const struct json *given)
{
	static const char versions[] = "2025-11-25 2025-06-18 2025-03-26 2024-11-05";
	const char *wanted = string_of(json_member(given, "protocolVersion"));
	if (str_equal(method, "ping"))
		return "{}";
	if (str_equal(method, "tools/list"))
		return arena_text(arena, "{\"tools\":%s}",
				  raw(arena, tools->text, json_member(tools->root, "tools")));
	if (!str_equal(method, "initialize"))
		return NULL;
	wanted = *wanted && str_has_word(versions, wanted, strlen(wanted)) ? wanted : versions;
	return arena_text(
		arena,
		"{\"protocolVersion\":\"%.10s\",\"capabilities\":{\"tools\":{}},"
		"\"serverInfo\":{\"name\":\"sbx\",\"version\":\"" SBX_VERSION "\"},"
		"\"instructions\":\"Commands and files of a sandbox. What they change stays in "
		"session %s until it is applied.\"}",
		wanted, tools->session);
}

void mcp_read(struct arena *arena, const struct mcp_tools *tools, const char *text, size_t length,
	      struct mcp_message *ret, struct out *out)
{
	struct json *root;
	*ret = (struct mcp_message){ .text = text, .id = "null", .kind = MCP_ANSWER };
	if (ATTEMPT(json_parse(arena, text, length, &root)) < 0) {
		put_error(out, ret->id, -32700,
			  "this is not a JSON text of at most 1 MiB that sbx can read");
		return;
	}
	const struct json *id = json_member(root, "id"), *given = json_member(root, "params");
	const char *own = token_of(arena, text, id),
		   *method = string_of(json_member(root, "method"));
	bool answer = json_member(root, "result") || json_member(root, "error");
	if (root->type != JSON_OBJECT || (id && !own) || (!*method && !answer)) {
		put_error(out, ret->id, -32600,
			  "a message is one object with a method; its id is a whole number or a "
			  "string, "
			  "64 bytes at most");
		return;
	}
	ret->id = own ? own : ret->id;
	ret->tool = string_of(json_member(given, "name"));
	ret->arguments = json_member(given, "arguments");
	ret->token =
		token_of(arena, text, json_member(json_member(given, "_meta"), "progressToken"));
	ret->kind = MCP_NOTHING;
	if (own && str_equal(method, "tools/call")) {
		ret->kind = MCP_CALL;
	} else if (!own && str_equal(method, "notifications/cancelled")) {
		ret->kind = MCP_CANCEL;
		ret->token = token_of(arena, text, json_member(given, "requestId"));
	} else if (own && *method) {
		const char *result = answer_of(arena, tools, method, given);
		ret->kind = MCP_ANSWER;
		if (result)
			out_text(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", own,
				 result);
		else
			put_error(out, own, -32601, "no such method");
	}
}

unsigned long long mcp_number(const struct mcp_message *message, const char *name,
			      unsigned long long other)
{
	const struct json *value = json_member(message->arguments, name);
	return value ? strtoull(message->text + value->start, NULL, 10) : other;
}

// Fails for an unknown argument, a wrong type, or a missing required argument.
static int check(const struct mcp_message *message, const struct json *schema)
{
	const struct json *needed = json_member(schema, "required"), *given = message->arguments;
	if (given && given->type != JSON_OBJECT)
		return fail(0, "the arguments are not an object");
	for (const struct json *each = given ? given->first : NULL; each; each = each->next) {
		const struct json *known =
			json_member(json_member(schema, "properties"), each->key);
		bool text = str_equal(string_of(json_member(known, "type")), "string");
		if (!known)
			return fail(0, "'%.60s' is not an argument of this tool",
				    str_shown(each->key));
		if (text ? each->type != JSON_STRING : !is_number(message->text, each))
			return fail(0, "argument '%s' is not %s", each->key,
				    text ? "a string" : "a whole number");
	}
	for (needed = needed ? needed->first : NULL; needed; needed = needed->next)
		if (!json_member(given, needed->string))
			return fail(0, "argument '%s' is missing", needed->string);
	return 0;
}

// Returns the argument, else the schema's default, or NULL.
static const char *value_of(struct arena *arena, const struct mcp_tools *tools,
			    const struct mcp_message *message, const struct json *schema,
			    const char *name)
{
	const struct json *value = json_member(message->arguments, name),
			  *known = json_member(json_member(schema, "properties"), name);
	const char *text = value ? message->text : tools->text;
	value = value ? value : json_member(known, "default");
	return !value || value->type == JSON_STRING ? value ? value->string : NULL
						    : raw(arena, text, value);
}

char **mcp_words(struct arena *arena, const struct mcp_tools *tools,
		 const struct mcp_message *message, const char **ret_input)
{
	const struct json *tool = json_member(tools->root, "tools")->first, *word;
	while (tool && !str_equal(string_of(json_member(tool, "name")), message->tool))
		tool = tool->next;
	const struct json *schema = json_member(tool, "inputSchema");
	if (tool ? check(message, schema) < 0
		 : fail(0, "no tool '%.60s'", str_shown(message->tool)) < 0)
		return NULL;
	char **words = arena_take(arena, (WORDS_MAX + tools->standing_count) * sizeof(*words)),
	     **next = words;
	*next++ = arena_copy(arena, "sbx", 3);
	word = json_member(json_member(tools->root, "words"), message->tool)->first;
	for (; word; word = word->next) {
		const char *text = word->string;
		for (size_t i = 0; str_equal(text, "@") && i < tools->standing_count; i++)
			*next++ = tools->standing[i];
		if (str_equal(text, "@"))
			continue;
		if (str_equal(text, "$session"))
			text = tools->session;
		else if (text[0] == '$' && text[1] >= 'a' && text[1] <= 'z')
			text = value_of(arena, tools, message, schema, text + 1);
		if (text)
			*next++ = arena_copy(arena, text, strlen(text));
	}
	*ret_input = value_of(arena, tools, message, schema, "content");
	return words;
}

void mcp_result(struct out *out, const char *id, const char *text, bool failed)
{
	out_text(out,
		 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\","
		 "\"text\":",
		 id);
	json_string(out, NULL, text);
	out->comma = false;
	out_text(out, "}],\"isError\":%s}}\n", failed ? "true" : "false");
}
