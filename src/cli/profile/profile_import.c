// Owns sbx profile import: which file is read, and how much of it.
#include "cli/profile/profile_verb.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "run/run_command.h"
#include "policy/import/import.h"

// The user's own, which belong to no project: by the directory that they lie in.
static const char *base_of(struct arena *arena, enum import_from from, const char *file)
{
	static const char users[] = "~/.claude";
	struct stat theirs, own;
	const char *home = getenv("HOME");
	const char *directory = strchr(file, '/') ? path_parent(arena, file) : ".";
	return from == IMPORT_CLAUDE && home && stat(directory, &theirs) == 0 &&
			       stat(path_below(arena, home, users + strlen("~/")), &own) == 0 &&
			       theirs.st_dev == own.st_dev && theirs.st_ino == own.st_ino
		       ? users
		       : ".";
}

static int import_file(struct arena *arena, enum import_from from, const char *file)
{
	struct out out = { 0 };
	const char *text;
	size_t length;
	int found = file_read(AT_FDCWD, file, FILE_LINK, IMPORT_BYTES_MAX, arena, &text, &length);
	if (found == 0)
		return fail(0, "%s: the file does not exist", str_shown(file));
	if (found < 0)
		return file_failed(str_shown(file), IMPORT_BYTES_MAX);
	int result = import_profile(arena, from, base_of(arena, from, file), text, length, &out);
	result = result == 0 ? out_flush(&out, STDOUT_FILENO)
			     : fail(0, "%s: %s", str_shown(file), err_taken());
	out_free(&out);
	return result;
}

int profile_import(struct box *box, char **words)
{
	enum { EACH = 64, MORE = 16 << 20 };
	enum import_from from = 0;
	(void)box;
	while (words[0] && from < IMPORT_COUNT && !str_equal(words[0], import_words[from]))
		from++;
	if (!words[0] || from == IMPORT_COUNT || !words[1] || words[2])
		return fail(0, "usage: sbx profile import srt|claude|codex FILE");
	struct arena *arena = arena_new_own((size_t)IMPORT_BYTES_MAX * EACH + MORE);
	int result = import_file(arena, from, words[1]);
	arena_free(arena);
	return result;
}
