// What the actions of sbx session share.
//
// The room cli/session owns `sbx session`. Uses: ask, base, boxes, cli, limits, names, nouns,
// policy, report, run, session/apply, session/compare, session/store, text, view/paths. Begin with
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
	struct out out, notes; // for stdout, for stderr
};

#define SESSIONS_ARENA ((size_t)16 << 30)

// Opens the store of the caller's sessions. Except with SESSIONS_CREATE this process then has the
// capability to read all files of the caller and search all directories.
enum sessions_for { SESSIONS_CREATE, SESSIONS_READ, SESSIONS_APPLY };
int sessions_open(struct box *box, enum sessions_for purpose, struct sessions *ret_sessions);

// Finds the project of the current directory as a run does.
int sessions_project(struct arena *arena, const char **ret_project);

int sessions_list(struct sessions *sessions, char **words);
int sessions_show(struct sessions *sessions, char **words);
int sessions_log(struct sessions *sessions, char **words);

enum diff_form { DIFF_TEXT, DIFF_STAT, DIFF_JSON };

// `words` are paths. Without words prints all changes. Text goes through git and the user's pager.
int changes_show(struct sessions *sessions, const struct held *held, char *const *words,
		 enum diff_form form);

// Puts the list `changed`: its first 1,000, and the number of the rest. Puts nothing for a session
// that cannot be read.
void changes_put(struct sessions *sessions, const char *name);

// Prints a line of the short form, with the type, or an object of JSON.
void changes_line(struct out *out, const struct held *held, const struct change *change);

// Makes the environment of git and the pager. PATH keeps absolute directories outside the session.
// GIT_PAGER and PAGER are dropped if they name a file that a box of the project can write. Other
// GIT_* are dropped: git then uses its defaults.
char **viewer_environment(struct arena *arena, const struct session *session);

// Makes the session of --review. Call it before run_command(). At the run's end it shows the
// changes and asks which reach the host.
int review_prepare(struct box *box);
