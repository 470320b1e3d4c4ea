// INI text -> rows. Pure: hostile bytes in, rows or one error out.
#pragma once

#include <stddef.h>

#include "profile.h"

struct arena;

struct ini_row {
	unsigned line;
	const char *section, *name, *value;
};

// Offsets into a text: tables of pointers would be relocated at each start, page by page.
struct ini_stored {
	unsigned line, section, name, value;
};

struct ini_rows {
	const struct ini_stored *stored;
	unsigned count;
	const char *text;
};

static inline struct ini_row ini_at(const struct ini_rows *rows, unsigned i)
{
	const struct ini_stored *stored = &rows->stored[i];
	return (struct ini_row){ stored->line, rows->text + stored->section,
				 rows->text + stored->name, rows->text + stored->value };
}

// The most that is read of one profile, and the longest line.
enum { INI_BYTES_MAX = 256 * 1024, INI_LINE_MAX = 198 };

// `file` is only for messages; a NUL stands behind the text. Refused: NUL, what acts on a terminal
// (str_letter()), CR, a byte order mark, a line that is too long (libinih splits it and reads its
// tail as a new line), keys before any section.
int ini_read(struct arena *arena, const char *file, const char *text, size_t length,
	     struct ini_rows *ret_rows);
