// libFuzzer: any bytes as git's index.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "git/gitindex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_kept(const char *path)
{
	return strchr(path, 'a') != NULL;
}

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
	struct gitindex_vetted vetted, again;
	if (gitindex_vet(arena, data, size, 20, 1 << 30, &vetted) == 0) {
		// What it makes is an index with the same entries, to which nothing is left to do.
		if (vetted.text &&
		    (gitindex_vet(arena, vetted.text, vetted.length, 20, 1 << 30, &again) < 0 ||
		     again.text || again.bad || !again.shared != !vetted.shared ||
		     again.unchanged > vetted.unchanged))
			__builtin_trap();
	}
	struct gitindex_directories all;
	arena_free(arena);
	arena = arena_new_of((size_t)256 << 20);
	int found = gitindex_directories(arena, data, size, is_kept, &all);
	for (unsigned i = 1; found == 0 && i < all.count; i++)
		if (strcmp(all.paths[i - 1], all.paths[i]) >= 0)
			__builtin_trap();
	for (unsigned i = 0; found == 0 && i < all.kept_count; i++)
		if (strlen(all.kept[i].path) < all.kept[i].length || all.kept[i].length == 0)
			__builtin_trap();
	arena_free(arena);
	return 0;
}
