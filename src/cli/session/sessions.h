// What the actions of sbx session share.
//
// The room cli/session owns `sbx session`. Uses: ask base boxes cli limits names nouns policy
// report run session/apply session/compare session/store text view/paths. Begin with
// session_verb.c.
#pragma once

#include "base/base.h"
#include "run/run_command.h"
#include "session/store/store.h"

struct arena;
struct change;

struct sessions {
	struct box *box;
	struct store store;
	struct out out, notes; // to stdout; to stderr
};

#define SESSIONS_ARENA ((size_t)16 << 30)

// The caller's own sessions, by a process that from here on may read all files of the caller's and
// search all directories; SESSIONS_CREATE: it may not.
enum sessions_for { SESSIONS_CREATE, SESSIONS_READ, SESSIONS_APPLY };
int sessions_open(struct box *box, enum sessions_for purpose, struct sessions *ret_sessions);

// The project of the current directory, as the plan of a run would find it.
int sessions_project(struct arena *arena, const char **ret_project);

int sessions_list(struct sessions *sessions, char **words);
int sessions_show(struct sessions *sessions, char **words);
int sessions_log(struct sessions *sessions, char **words);

// What a session has changed, for people and programs.
enum diff_form { DIFF_TEXT, DIFF_STAT, DIFF_JSON };

// Of all changes, or of those at `words` (NULL-terminated). The text goes through git and the
// user's pager where there is one.
int changes_show(struct sessions *sessions, const struct held *held, char *const *words,
		 enum diff_form form);

// As a list, `changed`, of another answer: its first 1,000, and how many more there are. Nothing of
// a session that cannot be read.
void changes_put(struct sessions *sessions, const char *name);

// One line of the short form, which says what the thing is, or the JSON of it.
void changes_line(struct out *out, const struct held *held, const struct change *change);

// The environment of git and of the pager that it starts: the caller's, without what a box of the
// session's project can write.

// PATH keeps absolute directories outside of the session's; GIT_PAGER and PAGER go where they name
// a file in one of these; of the other GIT_* nothing is kept. Git then takes less, as it does.
char **viewer_environment(struct arena *arena, const struct session *session);

// --review: the changes of a run, shown before the host has them. Before run_command(): makes the
// session, and asks when the run has ended.
int review_prepare(struct box *box);
