// Owns the environment of git and its pager, which run outside and read a session's text.
#include "cli/session/sessions.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "session/store/store.h"

#define USUAL_PATH "PATH=/usr/local/bin:/usr/bin:/bin"

extern char **environ;

// True if a box of the project can write the file, by its name or through a symlink.
static bool is_reached(const struct session *session, const char *path)
{
	char real[PATH_MAX];
	if (path[0] != '/' || !realpath(path, real))
		return true;
	session_roots_each (i, session) {
		const char *root = session->roots[i].path;
		if (path_within(path, root) || path_within(real, root))
			return true;
	}
	return false;
}

// Returns "PATH=..." without directories that a box of the project can write.
static char *outer_path(struct arena *arena, const struct session *session, const char *list)
{
	const char *kept = "PATH=";
	char directory[PATH_MAX];
	while (path_list_next(&list, directory))
		if (!is_reached(session, path_clean(arena, directory)))
			kept = arena_text(arena, "%s%s%s", kept, kept[strlen("PATH=")] ? ":" : "",
					  directory);
	return arena_text(arena, "%s", kept[strlen("PATH=")] ? kept : USUAL_PATH);
}

// True if one word with a '/' is a file that a box can write. Git passes the value to a shell.
static bool is_pager_reached(struct arena *arena, const struct session *session, const char *value)
{
	static const char ends[] = " \t\n;&|<>()'\"`";
	while (*(value += strspn(value, ends))) {
		size_t length = strcspn(value, ends);
		if (memchr(value, '$', length) || memchr(value, '\\', length))
			return true;
		const char *word = arena_copy(arena, value, length);
		if (strchr(word, '/') && is_reached(session, word))
			return true;
		value += length;
	}
	return false;
}

char **viewer_environment(struct arena *arena, const struct session *session)
{
	size_t count = 0;
	while (environ[count])
		count++;
	char **made = arena_take(arena, (count + 2) * sizeof(*made)), **next = made;
	const char *path = getenv("PATH");
	*next++ = outer_path(arena, session, path);
	for (char **each = environ; *each; each++) {
		bool pager = str_starts(*each, "GIT_PAGER=") || str_starts(*each, "PAGER=");
		if (str_starts(*each, "PATH=") || (str_starts(*each, "GIT_") && !pager) ||
		    (pager && is_pager_reached(arena, session, strchr(*each, '=') + 1)))
			continue;
		*next++ = *each;
	}
	*next = NULL;
	return made;
}
