// libFuzzer: any bytes as git's index.
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "git/gitindex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "a", ".vscode" };
	const struct gitindex_entry *entries;
	unsigned count = 0;
	struct arena *arena = arena_new();
	err_taken();
	if (gitindex_find(arena, data, size, names, 2, &entries, &count) == 0 &&
	    count > GITINDEX_FOUND_MAX)
		__builtin_trap();
	arena_free(arena);
	return 0;
}
