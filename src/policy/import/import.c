// Owns what becomes a line of an imported profile, and what a comment.
#include "policy/import/import.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "policy/ini.h"
#include "policy/keys.h"
#include "policy/values.h"

static int count_line(struct import *import)
{
	if (import->lines++ < IMPORT_LINES_MAX)
		return 0;
	return fail(0, "the settings have more than %d values", IMPORT_LINES_MAX);
}

// The bytes are counted as they are written: a control byte is up to eight, and a line has a limit.
int import_note(struct import *import, const char *what, const char *why)
{
	enum { SHOWN_BYTES = 60 };
	char shown[STR_SHOWN_MAX];
	const char *at = what;
	size_t begin = import->notes.used;
	TRY(count_line(import));
	out_text(&import->notes, "; ");
	while (*at && import->notes.used - begin < SHOWN_BYTES) {
		size_t length = str_next(at, shown);
		if (shown[0])
			out_text(&import->notes, "%s", shown);
		else
			out_bytes(&import->notes, at, length);
		at += length;
	}
	out_text(&import->notes, "%s: %s\n", *at ? "..." : "", why);
	return 0;
}

// A value is good when the line, read as a profile's, says the same, and the key takes it.
static bool is_good(struct import *import, const struct key *key, const char *value)
{
	struct ini_rows rows;
	const char *text =
		arena_text(import->arena, "[%s]\n%s = %s\n", key->section, key->name, value);
	if (value[0] == '\0' ||
	    ATTEMPT(ini_read(import->arena, "", text, strlen(text), &rows)) < 0 || rows.count != 1)
		return false;
	const struct ini_row row = ini_at(&rows, 0);
	const struct origin from = { "", row.line, 0 };
	return str_equal(row.name, key->name) && str_equal(row.value, value) &&
	       ATTEMPT(value_set(key, &import->tried, import->arena, value, from)) == 0;
}

static const struct key *find_key(const char *name)
{
	const struct key *key = key_find("files", name);
	return key ? key : key_find("network", name);
}

// `as` is how the other program writes it.
static int put_line(struct import *import, const char *name, const char *value, const char *as)
{
	const struct key *key = find_key(name);
	if (!key || !is_good(import, key, value))
		return import_note(import, as,
				   arena_text(import->arena, "not valid for '%s'", name));
	struct out *out = str_equal(key->section, "files") ? &import->files : &import->network;
	TRY(count_line(import));
	out_text(out, "%s = %s\n", name, value);
	return 0;
}

int import_host(struct import *import, const char *key, const char *host)
{
	// These have another meaning in a profile: a group, an address' network, a suffix.
	if (strpbrk(host, "@/,"))
		return import_note(import, host,
				   arena_text(import->arena, "no host, not taken for '%s'", key));
	return put_line(import, key, host, host);
}

static bool goes_up(const char *path)
{
	for (const char *at = strstr(path, ".."); at; at = strstr(at + 1, ".."))
		if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
			return true;
	return false;
}

// Why a path of these programs is none of a profile, or NULL.
static const char *path_problem(const char *key, const char *path)
{
	bool grants = !str_equal(key, "hide") && !str_equal(key, "protect");
	if (path[0] == '$' || path[0] == '?')
		return "not taken: a profile reads this first character in its own way";
	if (goes_up(path))
		return "not taken: the path has '..'";
	if (path[strspn(path, "/.*")] == '\0' && !str_equal(path, "."))
		return "not taken: it is everything";
	if (strpbrk(path, "?[]{}!\\") || (grants && strchr(path, '*')))
		return "not taken: a profile has no such pattern here";
	if (grants && (str_equal(path, "/tmp") || str_equal(path, "/private/tmp")))
		return "not needed: a box has its own /tmp, empty at the start";
	if (grants && (str_starts(path, "/dev/") || str_starts(path, "/proc/")))
		return "not needed: a box has its own /dev and /proc";
	return NULL;
}

int import_path(struct import *import, const char *key, const char *path)
{
	struct arena *arena = import->arena;
	size_t length = strlen(path);
	if (length > 3 && str_ends(path, "/**"))
		length -= strlen("/**");
	while (length > 1 && path[length - 1] == '/')
		length--;
	const char *place = arena_copy(arena, path, length);
	const char *problem = path_problem(key, place);
	if (problem)
		return import_note(import, path, problem);
	if (str_equal(place, ".") && str_equal(key, "write")) {
		import->project = "write";
		return 0;
	}
	if (str_starts(place, "**/"))
		return put_line(import, key, place, path);
	bool rooted = place[0] == '/' || str_equal(place, ".") || str_equal(place, "~") ||
		      str_starts(place, "~/") || str_starts(place, "./");
	return put_line(import, key, arena_text(arena, "?%s%s", rooted ? "" : "./", place), path);
}
