// libFuzzer: the texts that name what a host's programs run. The first byte says which, from 128 on
// git's configuration; the rest is read. What is found stands in the text, and nothing in front of
// a name hides it.
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/str.h"
#include "names/mentions.h"
#include "names/naming.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char planted[] = "./planted/name";

struct seen {
	struct arena *arena;
	const char *text; // in which all names stand; NULL: in a value of it
	size_t length;
	unsigned count;
	bool planted;
};

// As it is, or in two pieces around a slash: a place that the text enters, and a name below it.
static bool stands_in(const struct seen *seen, const char *name, size_t length)
{
	if (!seen->text || length >= seen->length || memmem(seen->text, seen->length, name, length))
		return true;
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/'))
		if (memmem(seen->text, seen->length, name, (size_t)(slash - name)) &&
		    memmem(seen->text, seen->length, slash + 1, strlen(slash + 1)))
			return true;
	return false;
}

static void see(struct mentions *mentions, const char *name, enum mention kind)
{
	struct seen *seen = mentions->owner;
	size_t length = strlen(name);
	if (++seen->count > MENTIONS_MAX || length == 0 || kind > MENTION_PROGRAMS)
		abort();
	if (!stands_in(seen, name, length))
		abort();
	seen->planted = seen->planted || str_equal(name, planted);
	const char *path = mentions_path(seen->arena, "/base/root", "/base", name);
	if (path && (path[0] != '/' || strstr(path, "/../") || strstr(path, "//")))
		abort();
}

// Without escapes all that is found stands in the text, but where a form adds to it.
static bool is_plain(const struct naming_row *settings, const char *text, size_t length)
{
	return (settings->form == NAMING_TEXT || settings->form == NAMING_LINES ||
		settings->form == NAMING_YAML || settings->form == NAMING_MAKE) &&
	       !memchr(text, '\\', length);
}

static struct seen read_one(struct arena *arena, const struct naming_row *settings,
			    const char *text, size_t length)
{
	struct seen seen = { .arena = arena };
	struct mentions mentions = { .found = see, .owner = &seen };
	char *copy = malloc(length + 1);
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (is_plain(settings, text, length))
		seen = (struct seen){ .arena = arena, .text = text, .length = length };
	naming_read(&mentions, settings, copy, length);
	if (copy[length] != '\0')
		abort();
	free(copy);
	return seen;
}

// With a line at the end that names something in this form. Of JSON it makes what is none.
static void check_settings(struct arena *arena, const struct naming_row *settings, const char *text,
			   size_t length)
{
	static const char line[] = "\nsource ./planted/name\n", keyed[] = ": ./planted/name\n";
	read_one(arena, settings, text, length);
	char *more = arena_take(arena, length + sizeof(line) + sizeof(keyed) + PATH_MAX), *to;
	to = mempcpy(more, text, length);
	if (settings->keys) {
		*to++ = '\n';
		to = mempcpy(to, settings->keys + 1, strcspn(settings->keys + 1, " "));
		to = mempcpy(to, keyed, sizeof(keyed) - 1);
	} else {
		to = mempcpy(to, line, sizeof(line) - 1);
	}
	struct seen seen = read_one(arena, settings, more, (size_t)(to - more));
	if (!seen.planted && seen.count < MENTIONS_MAX)
		abort();
}

// The string of a JSON text is found, however it stands there.
static void check_string(struct arena *arena, const struct naming_row *settings, const char *text,
			 size_t length)
{
	static const char begin[] = "{\"a\":[\"",
			  end[] = "\"],\"\\u0063ommand\":\".\\/planted\\u002fname\"}";
	char *more = arena_take(arena, length + sizeof(begin) + sizeof(end)), *to;
	if (settings->form != NAMING_JSON || memchr(text, '"', length) ||
	    memchr(text, '\\', length))
		return;
	to = mempcpy(more, begin, sizeof(begin) - 1);
	to = mempcpy(to, text, length);
	to = mempcpy(to, end, sizeof(end) - 1);
	struct seen seen = read_one(arena, settings, more, (size_t)(to - more));
	if (!seen.planted && seen.count < MENTIONS_MAX)
		abort();
}

static void check_git(struct arena *arena, const char *text, size_t length)
{
	struct seen seen = { .arena = arena };
	struct mentions mentions = { .found = see, .owner = &seen };
	mentions_git(&mentions, arena, arena_copy(arena, text, length), length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct arena *arena = arena_new();
	err_taken();
	const struct naming_row *settings = &naming_rows[data[0] % naming_count];
	if (data[0] < 0x80) {
		check_settings(arena, settings, (const char *)data + 1, size - 1);
		check_string(arena, settings, (const char *)data + 1, size - 1);
	} else {
		check_git(arena, (const char *)data + 1, size - 1);
	}
	arena_free(arena);
	return 0;
}
