// The room mcp owns the Model Context Protocol of sbx mcp serve. Uses: base, text. Begin with
// protocol.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct json;
struct out;

struct mcp_message {
	enum mcp_kind {
		MCP_NOTHING,
		MCP_ANSWER, // in `out` of mcp_read()
		MCP_CALL,
		MCP_CANCEL, // cancels the call `token`
	} kind;
	const char *text;
	const char *id;    // JSON; "null": none
	const char *token; // the client's, for progress messages, as JSON; or NULL
	const char *tool;
	const struct json *arguments;
};

struct mcp_tools {
	const char *text; // tools.json as one line
	struct json *root;
	char *session;
	char *const *standing;
	size_t standing_count;
};

// Answers a message, unless it is a call. text[length] must be NUL.
void mcp_read(struct arena *arena, const struct mcp_tools *tools, const char *text, size_t length,
	      struct mcp_message *ret, struct out *out);

// Returns argv of sbx for a call, or NULL. `ret_input` is its stdin, or NULL.
char **mcp_words(struct arena *arena, const struct mcp_tools *tools,
		 const struct mcp_message *message, const char **ret_input);

unsigned long long mcp_number(const struct mcp_message *message, const char *name,
			      unsigned long long other);

void mcp_result(struct out *out, const char *id, const char *text, bool failed);
