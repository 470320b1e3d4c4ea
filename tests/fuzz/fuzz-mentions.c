// libFuzzer: the texts that name what a host's programs run. The first byte says how it is read,
// from 128 on git's configuration; the rest is read. What is found lies in the tree, and a name at
// the end of a text is found whatever stands in front of it.
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "names/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char planted[] = "\n ./0"; // the descriptor 0

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { SIZE_MAX_READ = 65536 };
	static int root = -1;
	bool found = false;
	if (root < 0)
		root = open("/proc/self/fdinfo", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (size == 0 || size > SIZE_MAX_READ)
		return 0;
	struct arena *arena = arena_new();
	struct mentions mentions = { .root = root, .path = "/proc/self/fdinfo", .arena = arena };
	mentions.whose = APART_OWN; // in this process
	err_taken();
	char *text = arena_take(arena, size + sizeof(planted));
	memcpy(text, data + 1, size - 1);
	memcpy(text + size - 1, planted, sizeof(planted));
	if (data[0] < 0x80)
		mentions_text(&mentions, mentions.path, text, size + sizeof(planted) - 2);
	else
		mentions_git(&mentions, mentions.path, text, size - 1);
	list_each (item, &mentions.files) {
		const char *path = item->text;
		if (!path_within(path, mentions.path) || str_equal(path, mentions.path) ||
		    strstr(path, "/../") || strstr(path, "//"))
			abort();
		found = found || str_equal(path_name(path), "0");
	}
	if (data[0] < 0x80 && !found)
		abort();
	arena_free(arena);
	return 0;
}
