// libFuzzer: INI text -> rows -> every value into a profile. No crash, no leak of bounds.
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "policy/keys.h"
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	struct profile profile = { 0 };
	struct ini_rows rows = { 0 };
	err_taken();
	if (size <= INI_BYTES_MAX &&
	    ini_read(arena, "f", arena_copy(arena, (const char *)data, size), size, &rows) == 0)
		for (unsigned i = 0; i < rows.count; i++) {
			const struct key *key =
				key_find(ini_at(&rows, i).section, ini_at(&rows, i).name);
			struct origin from = { "f", ini_at(&rows, i).line, i };
			if (key)
				value_set(key, &profile, arena, ini_at(&rows, i).value, from);
			else if (!key_suggest(ini_at(&rows, i).section, ini_at(&rows, i).name))
				key_suggest_section(ini_at(&rows, i).section);
		}
	arena_free(arena);
	return 0;
}
