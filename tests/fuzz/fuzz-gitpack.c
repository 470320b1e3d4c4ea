// libFuzzer: any bytes as a pack of git's and its index, and as what zlib has packed.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "git/gitindex.h"
#include "text/sha.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The first two bytes: the length of the index.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { SLICE = 4096, UNPACKED_MAX = 1 << 16, SLICES_MAX = 64 };
	static unsigned char buffer[UNPACKED_MAX];
	size_t length = 0, index = size < 2 ? 0 : (size_t)(data[0] << 8 | data[1]);
	if (size < 2 || index > size - 2)
		return 0;
	struct gitpack pack = { .index = data + 2,
				.index_length = index,
				.bytes = data + 2 + index,
				.length = size - 2 - index,
				.first = 7 };
	struct arena *arena = arena_new_own(GITPACK_ARENA);
	gitpack_begin(arena, &pack);
	uint32_t before = 0;
	for (unsigned i = 0; i < SLICES_MAX && !pack.wrong && (i == 0 || pack.at < pack.count);
	     i++) {
		gitpack_compare(&pack, SLICE);
		if (!pack.wrong && (pack.at > pack.count || pack.left > pack.at ||
				    (pack.count > 0 && pack.at == before)))
			__builtin_trap();
		before = pack.at;
	}
	arena_free(arena);
	if (inflate_all(pack.bytes, pack.length, buffer, sizeof(buffer), &length) == 0 &&
	    length > sizeof(buffer))
		__builtin_trap();
	return 0;
}
