// What could stand where a shell's cursor is.
#pragma once

#include "cli/verbs.h"

// `words`: those behind `sbx`, the last one begun or "". `verbs`: by rows of verbs.h.
int complete_words(char **words, verb_function *const *verbs);
