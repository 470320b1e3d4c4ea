// Words of other tools that people type, each with what to write here: foreign.def is the table.
#pragma once

#include <stddef.h>

// A whole sentence, or NULL: the word is not known. Options as they were typed, with their dashes,
// without a value: "--rm", "-v".
const char *foreign_option(const char *word, size_t length);
const char *foreign_verb(const char *word);
const char *foreign_profile(const char *word);
