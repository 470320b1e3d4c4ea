// The project's own profile, .sbx.ini: what it may say before and after the user has trusted it.
#pragma once

#include <stdbool.h>

#include "policy/find.h"

struct arena;
struct list;
struct profile;

struct trust {
	enum trust_state {
		TRUST_NO_FILE,
		TRUST_UNKNOWN, // only tightens
		TRUST_CHANGED, // since it was trusted: only tightens again
		TRUST_GIVEN,
	} state;
	struct source source; // of the file
	const char *trusted;  // TRUST_CHANGED: the text that was trusted
	struct ini_rows trusted_rows;
	const char *shown; // the text that was shown last and is another, or NULL
};

// `state` is sbx's own directory of state, `project` the project's. Reads at most three files.
int trust_read(struct arena *arena, const char *state, const char *project,
	       struct trust *ret_trust);

// Remembers the very text that was read as one that the user has seen.
int trust_note_shown(struct arena *arena, const char *state, const char *project,
		     const struct trust *trust);

// Remembers the very text that was read, or forgets it.
int trust_give(struct arena *arena, const char *state, const char *project,
	       const struct trust *trust);
int trust_take(struct arena *arena, const char *state, const char *project);

// Lays the file over the profile: all of it when trusted, else only what tightens; the lines that
// were left out are added to `ignored`.
int trust_merge(struct arena *arena, const char *config, const struct trust *trust,
		struct profile *profile, struct list *ignored);

// A file of sbx's that is a text of one project: the project's path in its first line. 1, or 0 when
// it is not there; -1 with the error said, also when it begins with something else.
int stored_read(struct arena *arena, const char *path, const char *project, const char **ret_text,
		size_t *ret_length);
int stored_write(struct arena *arena, const char *path, const char *project, const char *text);

// Answers of "project": rules that hold in later runs of that project which ask
// (--ask, --ask-program), and in no others. Kept below ~/.local/state/sbx/answers, as
// stored_write() does.

// Adds them to the allowed ones. -1 with the error said when they cannot be read.
int answers_merge(struct arena *arena, const char *state, const char *project,
		  struct profile *profile);
// The lines of a profile; "" for none.
int answers_read(struct arena *arena, const char *state, const char *project,
		 const char **ret_text);
// One more; `rule` is a destination.
int answers_keep(struct arena *arena, const char *state, const char *project, const char *rule);
// Takes one back. 1, or 0 when there is none like it.
int answers_forget(struct arena *arena, const char *state, const char *project, const char *rule);

// The administrator's file, /etc/sbx/locked.ini: its lines hold in each run, whatever profiles, the
// project's file and flags say. It only tightens. It binds sbx, not a user who starts another
// program.

// Lays the file over the profile, after all else. `ret_lines`: how many hold, 0 without the file;
// `notes` gets a line about them. -1 with the error said: the file cannot be read, is not root's
// alone to write, or has a line that loosens; then nothing may run. `inside`: this process stands
// in a box of sbx, where root's files can belong to nobody and the directory is hidden: that box
// has the lines already.
int locked_merge(struct arena *arena, bool inside, struct profile *profile, struct list *notes,
		 unsigned *ret_lines);
