// Owns the form and place of the list.
#include "base/given.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"

const char *given_file(struct arena *arena, const char *state, const char *project)
{
	return arena_text(arena, "%s/profiles/%.64s-%016llx", state, path_name(project), (unsigned long long)str_hash(project));
}

const char *given_read(struct arena *arena, const char *state, const char *project)
{
	const char *path = given_file(arena, state, project);
	autoclose int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return "";
	char *given = arena_take(arena, GIVEN_BYTES_MOST);
	if (fd_read_all(fd, given, GIVEN_BYTES_MOST - 1) >= 0)
		return given;
	fail(errno, "'%s'", path);
	return NULL;
}

bool given_has(const char *given, const char *path)
{
	size_t length = strlen(path);
	for (const char *at = strstr(given, path); at; at = strstr(at + 1, path))
		if ((at == given || at[-1] == '\n') && at[length] == '\n')
			return true;
	return false;
}
