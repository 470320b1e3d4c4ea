// Owns the form and place of the list.
#include "names/given.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/owned.h"
#include "base/str.h"

static const char list_name[] = "given";

static int check_list(const char *path, int found, const char *text, size_t length)
{
	if (found < 0 && errno != EACCES) // a state that is not ours: nothing was noted there
		return file_failed(path, GIVEN_BYTES_MAX - 1);
	if (length > 0 && text[0] != '/') // this version has lines of paths alone
		return fail(0, "'%s' was written by a newer sbx", path);
	return 0;
}

static int read_list(const char *state, char *ret_text)
{
	char path[PATH_MAX] __attribute__((uninitialized));
	size_t length;
	str_put(path, sizeof(path), "%s/%s", state, list_name);
	int found = file_read_into(AT_FDCWD, path, 0, ret_text, GIVEN_BYTES_MAX, &length);
	return check_list(path, found, ret_text, length);
}

const char *given_read(struct arena *arena, const char *state)
{
	char path[PATH_MAX] __attribute__((uninitialized));
	const char *text;
	size_t length;
	str_put(path, sizeof(path), "%s/%s", state, list_name);
	int found = file_read(AT_FDCWD, path, 0, GIVEN_BYTES_MAX - 1, arena, &text, &length);
	return check_list(path, found, text, length) < 0 ? NULL : text;
}

// The next line, and how long it is; NULL at the end.
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
	for (const char *line; (line = next_line(&given, &size));)
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

static int append(char *text, const char *line, size_t length)
{
	size_t used = strlen(text);
	if (used + length + 1 >= GIVEN_BYTES_MAX)
		return fail(0, "the list is full");
	memcpy(text + used, line, length);
	memcpy(text + used + length, "\n", sizeof("\n"));
	return 0;
}

static int append_missing(char *text, const char *lines)
{
	size_t length;
	for (const char *line; (line = next_line(&lines, &length));)
		if (!has(text, line, length))
			TRY(append(text, line, length));
	return 0;
}

static int forget_gone(char *text)
{
	char old[GIVEN_BYTES_MAX];
	const char *at = old;
	size_t length;
	memcpy(old, text, sizeof(old));
	text[0] = '\0';
	for (const char *line; (line = next_line(&at, &length));)
		if (!is_gone(line, length))
			TRY(append(text, line, length));
	return 0;
}

int given_add(const char *state, const char *lines)
{
	char text[GIVEN_BYTES_MAX], path[PATH_MAX];
	str_put(path, sizeof(path), "%s/%s", state, list_name);
	autoclose int directory = owned_directory(state);
	if (directory < 0)
		return -1;
	if (fd_lock(directory, LOCK_EX) < 0) // other runs end, too
		return fail(errno, "'%s'", state);
	TRY(read_list(state, text));
	if (ATTEMPT(append_missing(text, lines)) < 0) {
		TRY(forget_gone(text));
		TRY(append_missing(text, lines));
	}
	return owned_replace(AT_FDCWD, path, text, 0600);
}
