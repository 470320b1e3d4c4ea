// libFuzzer: a Makefile, a justfile or a package.json -> names for completions. Each is plain, and
// none is without end.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/out.h"
#include "text/targets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(const char *, size_t, struct out *) = { targets_of_make,
									       targets_of_just,
									       targets_of_package };
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		struct out names = { 0 };
		unsigned count = 0;
		readers[i]((const char *)data, size, &names);
		for (const char *at = names.used ? names.text : ""; *at; count++) {
			size_t length = strcspn(at, "\n");
			assert(target_is_plain(at, length));
			at += length + 1;
		}
		assert(count <= TARGETS_MAX);
		out_free(&names);
	}
	return 0;
}
