// Owns the files of answers to --ask that hold for a project.
#include "policy/find.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "policy/keys.h"
#include "profile.h"

static const char section[] = "network", name[] = "allow";

static const char *store_path(struct arena *arena, const char *state, const char *project)
{
	return arena_text(arena, "%s.ini", path_kept(arena, state, "answers", project));
}

int answers_read(struct arena *arena, const char *state, const char *project, const char **ret_text)
{
	size_t length;
	*ret_text = "";
	int found =
		stored_read(arena, store_path(arena, state, project), project, ret_text, &length);
	return found < 0 ? -1 : 0;
}

int answers_merge(struct arena *arena, const char *state, const char *project,
		  struct profile *profile)
{
	const char *text, *path = store_path(arena, state, project);
	struct ini_rows rows;
	TRY(answers_read(arena, state, project, &text));
	if (!*text)
		return 0;
	TRY(ini_read(arena, path, text, strlen(text), &rows));
	for (unsigned i = 0; i < rows.count; i++) {
		const struct ini_row row = ini_at(&rows, i);
		struct origin from = { path, row.line + 1, ORDER_OWN_FILE + i };
		if (!str_equal(row.section, section) || !str_equal(row.name, name))
			return fail(0, "'%s' is not what sbx wrote there; remove it", path);
		TRY(value_set(key_find(section, name), profile, arena, row.value, from));
	}
	return 0;
}

// Locks the directory: runs of one project may write at the same time.
static int open_store(struct arena *arena, const char *state, const char *project)
{
	const char *path = path_parent(arena, store_path(arena, state, project));
	enum { TRIES = 20, EACH_MICROSECONDS = 10000 };
	autoclose int directory = owned_directory(path);
	TRY(directory);
	for (int i = 0; i < TRIES; i++) {
		if (flock(directory, LOCK_EX | LOCK_NB) == 0)
			return take(&directory);
		usleep(EACH_MICROSECONDS);
	}
	return fail(0, "another sbx holds '%s'; try again", path);
}

int answers_keep(struct arena *arena, const char *state, const char *project, const char *rule)
{
	const char *before;
	autoclose int directory = open_store(arena, state, project);
	TRY(directory);
	TRY(answers_read(arena, state, project, &before));
	struct proposals *wish = arena_take(arena, sizeof(*wish));
	propose_line(wish, section, name, rule);
	const char *text = propose_text(arena, before, "", wish);
	if (strlen(text) > INI_BYTES_MAX)
		return fail(0, "more answers than a file holds: sbx profile forget HOST:PORT");
	return stored_write(arena, store_path(arena, state, project), project, text);
}

static const char *without(struct arena *arena, const char *text, const char *rule,
			   unsigned *ret_left, unsigned *ret_gone)
{
	char *rest = arena_take(arena, strlen(text) + 1);
	const char *line = arena_text(arena, "%s = %s", name, rule);
	size_t used = 0;
	*ret_left = *ret_gone = 0;
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "\n"), whole = length + (at[length] == '\n');
		bool gone = length == strlen(line) && memcmp(at, line, length) == 0;
		*ret_gone += gone;
		*ret_left += !gone && str_starts(at, name);
		if (!gone) {
			memcpy(rest + used, at, whole);
			used += whole;
		}
		at += whole;
	}
	rest[used] = '\0';
	return rest;
}

int answers_forget(struct arena *arena, const char *state, const char *project, const char *rule)
{
	const char *text, *path = store_path(arena, state, project);
	unsigned left, gone;
	autoclose int directory = open_store(arena, state, project);
	TRY(directory);
	TRY(answers_read(arena, state, project, &text));
	text = without(arena, text, rule, &left, &gone);
	if (gone == 0)
		return 0;
	if (left)
		TRY(stored_write(arena, path, project, text));
	else if (unlink(path) < 0)
		return fail(errno, "remove '%s'", path);
	return 1;
}
