// libFuzzer: three texts, split at bytes 0xff -> parse -> merge. What comes out must be git's
// syntax again, hold nothing that was withheld, and change nothing but by harmless names.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "git/gitconfig.h"
#include "text/words.h"

// What is shown is git's configuration again, in which nothing more is secret, and has no name that
// was not there.
static void check_shown(struct arena *arena, const struct gitconfig *config)
{
	struct gitsecret secret, again;
	struct gitconfig shown;
	if (gitsecret_filter(arena, config->text, config->length, &secret) < 0)
		abort();
	if (!secret.text)
		return;
	size_t length = strlen(secret.text);
	if (length > GITCONFIG_BYTES_MAX)
		return;
	if (gitconfig_parse(arena, secret.text, length, &shown) < 0 ||
	    gitsecret_filter(arena, secret.text, length, &again) < 0 ||
	    (again.text && strcmp(again.text, secret.text) != 0) || shown.count > config->count)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct arena *arena, const struct gitconfig *now,
		  const struct gitconfig_merged *merged)
{
	struct gitconfig result;
	if (merged->length > GITCONFIG_BYTES_MAX)
		return;
	if (gitconfig_parse(arena, merged->text, merged->length, &result) < 0)
		abort();
	for (unsigned i = 0; i < merged->withheld_count; i++) {
		const char *is = gitconfig_value(&result, merged->withheld[i].name);
		const char *was = gitconfig_value(now, merged->withheld[i].name);
		if (!is != !was || (is && !str_equal(is, was)))
			abort();
	}
	for (unsigned i = 0; i < result.count; i++) {
		const char *name = result.entries[i].name;
		if (str_starts(name, "alias.") || str_ends(name, ".fsmonitor") ||
		    str_starts(name, "include."))
			if (!gitconfig_value(now, name))
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	struct gitconfig texts[3];
	const char *at = arena_copy(arena, (const char *)data, size), *end = at + size;
	int good = 1;
	err_taken();
	for (int i = 0; i < 3; i++) {
		const char *mark = at < end ? memchr(at, 0xff, (size_t)(end - at)) : NULL;
		size_t length = (size_t)((mark ? mark : end) - at);
		good = good && gitconfig_parse(arena, at, length, &texts[i]) == 0;
		at += length + (mark != NULL);
	}
	if (good)
		check_shown(arena, &texts[0]);
	for (int kept = TEXTSECRET_ALL; kept <= TEXTSECRET_REGISTRIES; kept++) {
		const char *shown = textsecret_lines(arena, (const char *)data, size,
						     (enum textsecret_kept)kept);
		if (shown && (strlen(shown) > size || textsecret_has_word(shown)))
			abort();
	}
	const char *text = arena_copy(arena, (const char *)data, size);
	const char *roots = textsecret_certificates(arena, text);
	if (strlen(roots) > strlen(text) + 1 || strstr(roots, " KEY-") ||
	    strcmp(textsecret_certificates(arena, roots), roots) != 0)
		abort();
	struct gitconfig_merged merged;
	struct gitconfig_case how = { .depth = size % 4, .made = size & 4, .private = size & 8 };
	if (good) {
		gitconfig_merge(arena, &texts[0], &texts[1], &texts[2], how, &merged);
		check(arena, &texts[2], &merged);
	}
	arena_free(arena);
	return 0;
}
