// --help, made from the tables.
#pragma once

#include "policy/keys.h"
#include "profile.h"

// Prints what one verb takes to stdout, a screen of it or all. Returns sbx's exit status.
int help_verb(enum verb verb, enum help_wish wish);
int help_all(int fd);
