// What a session has changed, for people and programs.
#pragma once

#include "cli/session/sessions.h"

struct change;

enum diff_form { DIFF_TEXT, DIFF_STAT, DIFF_JSON };

// Of all changes, or of those at `words` (NULL-terminated). The text goes through git and the
// user's pager where there is one.
int changes_show(struct sessions *sessions, const struct held *held, char *const *words,
		 enum diff_form form);

// One line of the short form.
void changes_line(struct sessions *sessions, const struct session *session,
		  const struct change *change);
