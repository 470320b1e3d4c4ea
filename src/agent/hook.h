// What an agent asks before it uses a tool, and the answer that puts a shell command in a box.
// Pure: reads and writes memory only.
#pragma once

#include <stddef.h>

struct agent;
struct arena;

enum { QUESTION_BYTES_MAX = 1 << 20 };

// `question` is JSON as the agent writes it on stdin. Returns 0 with the answer (NULL: the tool is
// no shell), or -1: then the tool must not be used. `program` is sbx.
int hook_answer(struct arena *arena, const struct agent *agent, const char *program,
		const char *question, size_t length, const char **ret_answer);
