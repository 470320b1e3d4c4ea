// libFuzzer: any bytes as the kernel's table of mounts, in which a box chooses the names.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "view/paths/wishes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	struct mounts mounts;
	if (mounted_parse(arena, (const char *)data, size, &mounts) == 0)
		for (unsigned i = 0; i < mounts.count; i++) {
			const struct mounted *one = &mounts.list[i];
			if (one->point[0] != '/' || strlen(one->root) > size ||
			    mounted_find(&mounts, one->id) > one)
				__builtin_trap();
			mounted_elsewhere(&mounts, one->id, one->point);
			mounted_opens(&mounts, one->point);
		}
	arena_free(arena);
	return 0;
}
