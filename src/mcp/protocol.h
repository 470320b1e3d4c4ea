// Messages of a client, which a model steers, and the words of sbx that a call stands for. Pure.
//
// The room mcp owns the Model Context Protocol of sbx mcp serve. Uses: base text. Begin with
// protocol.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct json;
struct out;

struct mcp_message {
	enum mcp_kind {
		MCP_NOTHING, // asks for no answer
		MCP_ANSWER,  // which `out` has
		MCP_CALL,
		MCP_CANCEL, // of the call `token`
	} kind;
	const char *text;
	const char *id;    // JSON; "null": it has none
	const char *token; // of progress, JSON; NULL: nobody wants it
	const char *tool;
	const struct json *arguments;
};

struct mcp_tools {
	const char *text; // tools.json as one line
	struct json *root;
	char *session;
	char *const *standing; // options of the server, `standing_count`
	size_t standing_count;
};

// text[length] must be NUL. All but calls is answered here.
void mcp_read(struct arena *arena, const struct mcp_tools *tools, const char *text, size_t length,
	      struct mcp_message *ret, struct out *out);

// The words of sbx of a call, NULL-terminated, and its stdin or NULL. NULL with the error said.
char **mcp_words(struct arena *arena, const struct mcp_tools *tools,
		 const struct mcp_message *message, const char **ret_input);

// A number among the arguments.
unsigned long long mcp_number(const struct mcp_message *message, const char *name,
			      unsigned long long other);

// The answer to a call, a line.
void mcp_result(struct out *out, const char *id, const char *text, bool failed);
