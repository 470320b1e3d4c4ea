// libFuzzer: any bytes as an agent's settings, a hook's question, a record of trust. A change is
// JSON again, and what was set is found.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "agent/agent_settings.h"
#include "agent/agents.h"
#include "base/base.h"
#include "text/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void changes(struct arena *arena, const char *text, const struct json *root)
{
	static const char *const path[] = { "env", "P", NULL };
	struct json *again;
	char *set = json_set(arena, text, root, path, "\"value\"");
	if (!set)
		return;
	if (json_parse(arena, set, strlen(set), &again) < 0)
		__builtin_trap();
	const struct json *found = json_at(again, path);
	if (!found || found->type != JSON_STRING || strcmp(found->string, "value") != 0)
		__builtin_trap();
	char *undone = json_revert(arena, text, set, set);
	if (undone && strcmp(undone, text) != 0)
		__builtin_trap();
	char *cut = json_cut(arena, set, json_member(again, "env"), found);
	if (json_parse(arena, cut, strlen(cut), &again) < 0)
		__builtin_trap();
}

// What is appended is the last of the array, and can be cut again.
static void appends(struct arena *arena, const char *text, const struct json *root)
{
	static const char *const path[] = { "hooks", "PreToolUse", NULL };
	struct json *again;
	char *added = json_append(arena, text, root, path, "{\"a\": 1}");
	if (!added)
		return;
	if (json_parse(arena, added, strlen(added), &again) < 0)
		__builtin_trap();
	const struct json *array = json_at(again, path), *last = array ? array->first : NULL;
	while (last && last->next)
		last = last->next;
	if (!last || last->type != JSON_OBJECT || !json_member(last, "a"))
		__builtin_trap();
	char *cut = json_cut(arena, added, array, last);
	if (json_parse(arena, cut, strlen(cut), &again) < 0)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json *root;
	const char *answer;
	struct arena *arena = arena_new_of((size_t)256 << 20);
	char *text = arena_copy(arena, (const char *)data, size);
	err_taken();
	bool parsed = json_parse(arena, text, size, &root) == 0;
	if (parsed && json_is_blank(text, size))
		__builtin_trap();
	if (parsed && root->type == JSON_OBJECT) {
		changes(arena, text, root);
		appends(arena, text, root);
	}
	err_taken();
	for (unsigned i = 0; agents[i].name; i++)
		if (agents[i].means == AGENT_HOOK &&
		    hook_answer(arena, &agents[i], "/usr/bin/sbx", text, size, &answer) == 0 &&
		    answer && json_parse(arena, answer, strlen(answer), &root) < 0)
			__builtin_trap();
	err_taken();
	trust_of(arena, text, "/h/hooks.json", 0, 0);
	arena_free(arena);
	return 0;
}
