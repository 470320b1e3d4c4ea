// Settings in JSON (RFC 8259, JSONC): names in their strings, however they are laid out. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct mentions;
struct naming_row;

// False: it is no JSON, and nothing was passed on.
bool naming_json(struct mentions *mentions, const struct naming_row *settings, const char *text,
		 size_t length);
