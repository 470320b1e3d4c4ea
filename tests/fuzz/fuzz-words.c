// libFuzzer: bytes split at NUL -> argv -> flags; and as variables -> reasons to withhold.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "env/env.h"
#include "policy/keys.h"
#include "policy/find.h"
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { WORDS_MAX = 64 };
	struct arena *arena = arena_new();
	char *text = arena_copy(arena, (const char *)data, size);
	char *words[WORDS_MAX + 1] = { 0 };
	unsigned count = 0;
	for (size_t at = 0; at < size && count < WORDS_MAX; at += strlen(text + at) + 1)
		words[count++] = text + at;
	for (enum verb verb = VERB_RUN; verb <= VERB_DOCTOR; verb <<= 1) {
		struct invocation invocation = { 0 };
		struct arguments arguments = { 0 };
		struct profile profile = { 0 };
		err_taken();
		if (argv_read(arena, verb, words, &invocation, &arguments) == 0)
			merge_arguments(arena, &arguments, &profile);
	}
	if (count >= 2)
		variable_withheld(words[0], words[1]);
	arena_free(arena);
	return 0;
}
