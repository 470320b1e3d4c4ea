// --help, made from the tables.
#pragma once

#include "policy/keys.h"

// Prints the options of one verb to stdout. Returns sbx's exit status.
int help_verb(enum verb verb, const char *name);
int help_all(int fd);
