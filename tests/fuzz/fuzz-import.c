// libFuzzer: any bytes as the settings of another sandbox. What comes out is a profile: it is read
// as INI, and each of its values is taken.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "policy/import/import.h"
#include "policy/ini.h"
#include "policy/keys.h"
#include "policy/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct arena *arena, const struct out *out)
{
	static struct profile profile;
	struct ini_rows rows;
	if (ini_read(arena, "", out->text, out->used, &rows) < 0)
		__builtin_trap();
	for (unsigned i = 0; i < rows.count; i++) {
		const struct ini_row row = ini_at(&rows, i);
		const struct key *key = key_find(row.section, row.name);
		const struct origin from = { "", row.line, 0 };
		if (!key || row.value[0] == '\0' || row.value[0] == '@' ||
		    strstr(row.value, "/tcp") == row.value)
			__builtin_trap();
		if (value_set(key, &profile, arena, row.value, from) < 0)
			__builtin_trap();
	}
	profile = (struct profile){ 0 };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (enum import_from from = 0; from < IMPORT_COUNT; from++) {
		struct arena *arena = arena_new_of((size_t)64 << 20);
		struct out out = { 0 };
		char *text = arena_copy(arena, (const char *)data, size);
		err_taken();
		if (import_profile(arena, from, size % 2 ? "." : "~/.claude", text, size, &out) ==
		    0)
			check(arena, &out);
		out_free(&out);
		arena_free(arena);
	}
	return 0;
}
