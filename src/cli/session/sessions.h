// What the actions of sbx session share.
//
// The room cli/session owns `sbx session`. Uses: base cli nouns report run session/apply
// session/archive session/compare session/store text view/paths. Begin with session_verb.c.
#pragma once

#include "base/out.h"
#include "run/run_command.h"
#include "session/store/store.h"

struct sessions {
	struct box *box;
	struct store store;
	struct out out, notes; // to stdout; to stderr
};

#define SESSIONS_ARENA ((size_t)16 << 30)

int sessions_open(struct box *box, struct sessions *ret_sessions);

int sessions_list(struct sessions *sessions, char **words);
int sessions_show(struct sessions *sessions, char **words);
int sessions_log(struct sessions *sessions, char **words);
