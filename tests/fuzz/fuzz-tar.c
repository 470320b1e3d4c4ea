// libFuzzer: blocks of a tar archive -> headers and their words; what is read is written and read
// again.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "session/archive/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_path(struct arena *arena, const char *name)
{
	const char *path = tar_path(arena, name);
	if (path && (path[0] == '/' || !path[0] || strstr(path, "//") || str_equal(path, "..") ||
		     str_starts(path, "../") || strstr(path, "/../") || str_ends(path, "/..") ||
		     str_ends(path, "/")))
		abort();
}

static void check_again(struct arena *arena, const struct tar_entry *entry)
{
	struct out out = { 0 };
	struct tar_entry words, again;
	tar_put(&out, entry);
	if (out.used % TAR_BLOCK != 0 || tar_header(arena, out.text, &words) != 1 ||
	    words.type != 'x')
		abort();
	size_t padded = (words.size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	if (tar_header(arena, out.text + TAR_BLOCK + padded, &again) != 1 ||
	    tar_extend(arena, out.text + TAR_BLOCK, words.size, &again) < 0)
		abort();
	if (!str_equal(again.name, entry->name) || again.size != entry->size ||
	    again.mode != entry->mode)
		abort();
	out_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	struct tar_entry entry = { .type = '0', .name = "x", .link = "y" };
	char block[TAR_BLOCK] = { 0 };
	memcpy(block, data, size < TAR_BLOCK ? size : TAR_BLOCK);
	if (tar_header(arena, block, &entry) == 1)
		check_path(arena, entry.name);
	err_taken();
	entry = (struct tar_entry){ .type = '0', .name = "x", .link = "y" };
	const char *text = arena_copy(arena, (const char *)data, size);
	if (tar_extend(arena, text, size, &entry) == 0) {
		check_path(arena, entry.name);
		check_again(arena, &entry);
	}
	err_taken();
	check_path(arena, text);
	arena_free(arena);
	return 0;
}
