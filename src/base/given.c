// Owns the form and place of the list.
#include "base/given.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/owned.h"
#include "base/str.h"

static const char list_name[] = "given";

// Bytes of the text that ends with a NUL, 0 when there is none.
static ssize_t read_list(const char *state, char *ret_text)
{
	char path[PATH_MAX] __attribute__((uninitialized));
	snprintf(path, sizeof(path), "%s/%s", state, list_name);
	ret_text[0] = '\0';
	autoclose int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t size = fd_read_all(fd, ret_text, GIVEN_BYTES_MOST - 1);
	ret_text[size < 0 ? 0 : size] = '\0';
	return size < 0 ? fail(errno, "'%s'", path) : size;
}

const char *given_read(struct arena *arena, const char *state)
{
	char text[GIVEN_BYTES_MOST] __attribute__((uninitialized)); // on the way to every start
	ssize_t size = read_list(state, text);
	return size < 0 ? NULL : arena_copy(arena, text, (size_t)size);
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
	snprintf(path, sizeof(path), "%.*s", (int)length, line);
	return lstat(path, &status) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

static int append(char *text, const char *line, size_t length)
{
	size_t used = strlen(text);
	if (used + length + 1 >= GIVEN_BYTES_MOST)
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
	char old[GIVEN_BYTES_MOST];
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
	char text[GIVEN_BYTES_MOST], path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/%s", state, list_name);
	autoclose int directory = owned_directory(state);
	if (directory < 0)
		return -1;
	while (flock(directory, LOCK_EX) < 0) // other runs end, too
		if (errno != EINTR)
			return fail(errno, "'%s'", state);
	TRY(read_list(state, text));
	if (append_missing(text, lines) < 0) {
		err_clear();
		TRY(forget_gone(text));
		TRY(append_missing(text, lines));
	}
	return owned_replace(path, text, 0600);
}
