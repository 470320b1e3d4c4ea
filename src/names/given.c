// Owns the list of profiles that were given by path.
#include "names/names.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"

static const char *list_of(struct arena *arena, const char *state)
{
	return path_below(arena, state, "given");
}

const char *given_read(struct arena *arena, const char *state)
{
	const char *text, *path = list_of(arena, state);
	size_t length;
	int found = file_read(AT_FDCWD, path, 0, GIVEN_BYTES_MAX - 1, arena, &text, &length);
	if (found < 0 && errno != EACCES) {
		file_failed(path, GIVEN_BYTES_MAX - 1);
		return NULL;
	}
	if (length > 0 && text[0] != '/') {
		fail(0, "'%s' is of another version of sbx", path);
		return NULL;
	}
	return text;
}

static const char *next_line(const char **at, size_t *ret_length)
{
	const char *line = *at;
	*ret_length = strcspn(line, "\n");
	*at += *ret_length + (line[*ret_length] == '\n');
	return *line ? line : NULL;
}

static bool has(const char *given, const char *path, size_t length)
{
	size_t size;
	for (const char *line; given && (line = next_line(&given, &size));)
		if (size == length && memcmp(line, path, length) == 0)
			return true;
	return false;
}

bool given_has(const char *given, const char *path)
{
	return has(given, path, strlen(path));
}

static bool is_gone(const char *line, size_t length)
{
	char path[PATH_MAX];
	struct stat status;
	return str_put(path, sizeof(path), "%.*s", (int)length, line) && lstat(path, &status) < 0 &&
	       (errno == ENOENT || errno == ENOTDIR);
}

static void add(struct out *list, const char *lines, bool all)
{
	size_t length;
	for (const char *line; (line = next_line(&lines, &length));)
		if (!has(list->text, line, length) && (all || !is_gone(line, length)))
			out_text(list, "%.*s\n", (int)length, line);
}

static int add_all(struct arena *arena, const char *state, const char *lines, struct out *list)
{
	autoclose int lock = owned_lock(state);
	TRY(lock);
	const char *old = given_read(arena, state);
	for (int all = 1; old && all >= 0 && (all || list->used >= GIVEN_BYTES_MAX); all--) {
		out_free(list);
		*list = (struct out){ 0 };
		add(list, old, all);
		add(list, lines, true);
	}
	if (!old || list->used >= GIVEN_BYTES_MAX)
		return old ? fail(0, "the list is full") : -1;
	return owned_replace(AT_FDCWD, list_of(arena, state), list->text ? list->text : "", 0600);
}

int given_add(const char *state, const char *lines)
{
	struct out list = { 0 };
	struct arena *arena = arena_new();
	int result = add_all(arena, state, lines, &list);
	out_free(&list);
	arena_free(arena);
	return result;
}
