// --help, made from the tables.
#pragma once

#include "policy/keys.h"
#include "profile.h"

// Prints what one verb takes to stdout, a screen of it or all. Returns sbx's exit status.
int help_verb(enum verb verb, enum help_wish wish);
// The first screen of sbx: a run's main options and the main verbs, in 24 lines of 80 columns.
int help_first(void);
// All verbs.
int help_all(void);
