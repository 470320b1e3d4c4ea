// Owns the reading of the editor's first message.
#include "lsp/lsp.h"

#include <string.h>

#include "text/json.h"

struct first_message {
	const char *text;
	bool initialize;
	enum standing around[JSON_WALK_DEPTH_MAX + 2];
	char *id;
	size_t start, end;
};

static bool take_first(void *owner, const struct json_step *step)
{
	struct first_message *first = owner;
	enum standing around = step->depth ? first->around[step->depth] : IN_OTHER;
	enum member key = member_of(step);
	const char *value = first->text + step->start;
	size_t length = step->end - step->start, quote = step->kind == WALK_STRING;
	if (around == IN_MESSAGE && key == KEY_METHOD)
		first->initialize =
			length == strlen("initialize") && strncmp(value, "initialize", length) == 0;
	if (around == IN_MESSAGE && key == KEY_ID && length + 2 * quote <= LSP_ID_MAX) {
		memcpy(first->id, value - quote, length + 2 * quote);
		first->id[length + 2 * quote] = '\0';
	}
	if (around == IN_PARAMS && key == KEY_PROCESS && step->kind == WALK_NUMBER) {
		first->start = step->start;
		first->end = step->end;
	}
	first->around[step->depth + 1] = step->depth == 0                            ? IN_MESSAGE
					 : around == IN_MESSAGE && key == KEY_PARAMS ? IN_PARAMS
										     : IN_OTHER;
	return true;
}

bool lsp_read_initialize(const char *text, size_t length, char ret_id[LSP_ID_MAX + 1],
			 size_t *ret_start, size_t *ret_end)
{
	struct first_message first = { .text = text, .id = ret_id };
	ret_id[0] = '\0';
	if (!json_walk(text, length, take_first, &first) || !first.initialize) {
		ret_id[0] = '\0';
		return false;
	}
	*ret_start = first.start;
	*ret_end = first.end;
	return true;
}
