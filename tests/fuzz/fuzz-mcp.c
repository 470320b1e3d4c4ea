// libFuzzer: any bytes as a message of an MCP client, and as the settings that name an agent's
// servers. An answer is one line of JSON; a call has the words of its tool, an argument never more
// than one; servers that were led through sbx and back are what they were.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "agent/agent_settings.h"
#include "agent/agents.h"
#include "base/base.h"
#include "code/languages.h"
#include "mcp/protocol.h"
#include "text/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool good)
{
	if (!good)
		__builtin_trap();
}

static void expect_line(struct arena *arena, const struct out *out)
{
	struct json *root;
	if (out->used == 0)
		return;
	const char *text = arena_copy(arena, out->text, out->used - 1);
	expect(out->text[out->used - 1] == '\n' && !memchr(text, '\n', out->used - 1));
	expect(json_parse(arena, text, out->used - 1, &root) == 0 && root->type == JSON_OBJECT);
	expect(json_member(root, "jsonrpc") && json_member(root, "id"));
	expect(!json_member(root, "result") != !json_member(root, "error"));
}

static void expect_words(char **words, const struct mcp_message *message)
{
	unsigned count = 0;
	bool run = !strcmp(words[1], "run"), session = !strcmp(words[1], "session"),
	     diff = session && !strcmp(words[2], "diff");
	expect(run || session || !strcmp(words[1], "why"));
	while (words[count])
		count++;
	expect(count < 20);
	if (run)
		expect(!strcmp(words[4], "-s") && !strcmp(words[5], "fuzz") &&
		       !strcmp(words[6], strcmp(message->tool, "run") ? "--" : "-c"));
	if (session)
		expect(!strcmp(words[3 + diff], "fuzz") &&
		       (diff ? !strcmp(words[5], "--") : count == 4));
	if (!run && !session)
		expect(!strcmp(words[4], "--") && count == 6);
}

static void read_message(struct arena *arena, const char *text, size_t size)
{
	static char option[] = "-s", name[] = "fuzz";
	static char *const standing[] = { option, name };
	struct mcp_tools tools = { .session = name, .standing = standing, .standing_count = 2 };
	struct mcp_message message;
	struct out out = { 0 };
	const char *input;
	for (unsigned i = 0; i < backend_count; i++)
		if (!strcmp(backends[i].name, "tools"))
			tools.text = backends[i].text;
	expect(json_parse(arena, tools.text, strlen(tools.text), &tools.root) == 0);
	mcp_read(arena, &tools, text, size, &message, &out);
	if (!memmem(text, size, "tools/list", 10)) // its answer is made a line by who has the text
		expect_line(arena, &out);
	expect((message.kind == MCP_ANSWER) == (out.used > 0));
	char **words = message.kind == MCP_CALL ? mcp_words(arena, &tools, &message, &input) : NULL;
	if (words)
		expect_words(words, &message);
	out_free(&out);
	mcp_result(&out, message.id, text, false);
	expect_line(arena, &out);
	out_free(&out);
	err_taken();
}

static const char *lead(struct settings *settings, bool back, unsigned *count)
{
	bool toml = strstr(settings->path, "toml") != NULL;
	settings->root = NULL;
	settings->length = strlen(settings->text);
	settings->shape = settings->text;
	if (!toml &&
	    (json_parse(settings->arena, settings->text, settings->length, &settings->root) < 0 ||
	     settings->root->type != JSON_OBJECT))
		return NULL;
	struct servers_found found = { .count = 0 };
	const char *text = servers_text(settings, back, &found);
	*count = found.count;
	return text;
}

static void read_servers(struct arena *arena, const char *text)
{
	unsigned count, again;
	for (unsigned i = 0; server_agents[i].name; i++) {
		struct settings settings = { .arena = arena,
					     .agent = &server_agents[i],
					     .program = "/usr/bin/sbx",
					     .path = server_agents[i].file,
					     .text = text };
		const char *same = lead(&settings, true, &count), *led;
		if (!same || count > 0 || !(led = lead(&settings, false, &count)))
			continue;
		expect(!strcmp(same, text));
		settings.text = led;
		const char *back = lead(&settings, true, &again);
		expect(back && again == count && !strcmp(back, text));
		expect(!strcmp(lead(&settings, false, &again), led) && again == 0);
	}
	err_taken();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new_of((size_t)256 << 20);
	char *text = arena_copy(arena, (const char *)data, size);
	err_taken();
	read_message(arena, text, size);
	if (strlen(text) == size)
		read_servers(arena, text);
	arena_free(arena);
	return 0;
}
