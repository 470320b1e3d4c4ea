// The file by which an agent learns where its command went to (`cd`). Pure: text only.
#pragma once

struct arena;

// Claude Code ends each command with `pwd -P >| <tmp>/claude-<id>-cwd` and reads that file
// afterwards, outside. The path when the string ends so, else NULL.
const char *handback_path(struct arena *arena, const char *string);
