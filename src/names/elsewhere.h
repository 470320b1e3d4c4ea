// Directories outside of a project that its user allowed for parts of its repository: noted in
// sbx's own state, for each project one file.
#pragma once

#include <stdbool.h>

struct arena;

// Whether the directory, by its path without links, is allowed and still the same one. What cannot
// be read allows nothing.
bool elsewhere_has(struct arena *arena, const char *state, const char *project, const char *path);
// Which directory stands at the path: its line of the list. NULL: none.
const char *elsewhere_line(struct arena *arena, const char *path);
// Notes the directory, or removes the line of that path. -1 with the error said.
enum elsewhere_act { ELSEWHERE_ALLOW, ELSEWHERE_FORGET };
int elsewhere_note(struct arena *arena, const char *state, const char *project, const char *path,
		   enum elsewhere_act act);
