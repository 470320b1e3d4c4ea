// What was answered with "project": rules that hold in later runs of that project which ask
// (--ask, --ask-program), and in no others. Kept below ~/.local/state/sbx/answers, a profile with
// the project's path in its first line, as trust.h has it.
#pragma once

struct arena;
struct profile;

// Adds them to what is allowed. -1 with the error said when they cannot be read.
int answers_merge(struct arena *arena, const char *state, const char *project,
		  struct profile *profile);
// The lines of a profile; "" for none.
int answers_read(struct arena *arena, const char *state, const char *project,
		 const char **ret_text);
// One more; `rule` is a destination.
int answers_keep(struct arena *arena, const char *state, const char *project, const char *rule);
// Takes one back. 1, or 0 when there is none like it.
int answers_forget(struct arena *arena, const char *state, const char *project, const char *rule);
