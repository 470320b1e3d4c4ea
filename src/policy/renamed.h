// Names that an earlier version had: renamed.def is the table.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Each gives today's name of an old one, or NULL. `ret_gone` is set when the old one is an error.
const char *renamed_key(const char *section, const char *name, bool *ret_gone);
const char *renamed_flag(const char *flag, size_t length, bool *ret_gone);
const char *renamed_word(const char *flag, const char *word);
const char *renamed_verb(const char *verb);
