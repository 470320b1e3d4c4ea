// The editor's first message. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lsp/message.h"

// The id of it, and where the value of params.processId stands. False: it
// is no `initialize`, and stays as it is.
bool lsp_read_initialize(const char *text, size_t length, char ret_id[LSP_ID_MAX + 1],
			 size_t *ret_start, size_t *ret_end);
