// libFuzzer: names of files and texts of symlinks, as a box makes them. Where a link leads is what
// the slow way says, clean and within bounds; what is protected is so in any case of letters, and
// git's by other spellings; no two paths are kept under one name.
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "names/names.h"
#include "text/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_link(struct arena *arena, const char *path, const char *text)
{
	char place[256];
	if (path[0] != '/' || !str_equal(path_clean(arena, path), path) || str_equal(path, "/"))
		return;
	if (!path_of_link(path, text, place, sizeof(place)))
		return;
	if (!str_equal(place, path_join(arena, path_parent(arena, path), text)))
		abort();
}

static char *in_capitals(struct arena *arena, const char *text)
{
	char *capitals = arena_copy(arena, text, strlen(text));
	for (char *at = capitals; *at; at++)
		*at = (char)toupper((unsigned char)*at);
	return capitals;
}

static void check_name(struct arena *arena, const char *name)
{
	char *capitals = in_capitals(arena, name);
	if (trusted_is_protected(name) != trusted_is_protected(capitals) ||
	    trusted_is_reported(name) != trusted_is_reported(capitals) ||
	    component_is_git(name) != component_is_git(capitals))
		abort();
	if (!strchr(name, '/') && component_is_git(name) &&
	    !trusted_is_protected(arena_text(arena, "%s/hooks", name)))
		abort();
	const struct trusted_row *row = trusted_find(name);
	if (row ? row->answer == TRUSTED_TELL && !trusted_is_reported(name)
		: trusted_is_reported(name))
		abort();
	trusted_each (each, TRUSTED_WALL)
		if (trusted_begins(each, name) && !trusted_may_begin(name))
			abort();
}

static void check_kept(struct arena *arena, const char *one, const char *two)
{
	const char *kept = path_kept(arena, "/s", "k", one);
	if (!path_within(kept, "/s/k") || !str_equal(path_clean(arena, kept), kept))
		abort();
	if (!str_equal(one, two) && str_equal(kept, path_kept(arena, "/s", "k", two)))
		abort();
}

// Both clean.
static void check_below(struct arena *arena, const char *above, const char *path)
{
	const char *below = path_below(arena, above, path[1] ? path + 1 : "x");
	if (!path_within(below, above) ||
	    !str_equal(below, path_join(arena, above, path[1] ? path + 1 : "x")))
		abort();
	if (path_within(above, path) && path_within(path, above) && !str_equal(above, path))
		abort();
	check_kept(arena, above, path);
}

// The link's path up to the first newline, then its text.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	char *whole = arena_copy(arena, (const char *)data, size);
	char *text = strchr(whole, '\n');
	check_name(arena, whole);
	if (text) {
		*text++ = '\0';
		check_link(arena, whole, text);
		if (whole[0] == '/' && text[0] == '/')
			check_below(arena, path_clean(arena, whole), path_clean(arena, text));
	}
	check_name(arena, whole);
	arena_free(arena);
	return 0;
}
