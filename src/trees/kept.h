// Files of sbx's state that a look writes.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// By a rename; `durable`: it is there after a power loss, too. Nothing is reported: it is made
// again by the next look.
bool kept_write(const char *file, const char *text, size_t length, bool durable);
