// Owns the form and place of the list: INODE SECONDS.NANOSECONDS of its birth, and the path.
#include "names/elsewhere.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"

enum { BYTES_MAX = 32768 };

static int read_list(struct arena *arena, const char *file, const char **ret_text)
{
	size_t length;
	*ret_text = "";
	return file_read(AT_FDCWD, file, 0, BYTES_MAX, arena, ret_text, &length) < 0
		       ? file_failed(file, BYTES_MAX)
		       : 0;
}

const char *elsewhere_line(struct arena *arena, const char *path)
{
	struct stat status;
	struct sys_statx birth = { 0 };
	if (lstat(path, &status) < 0 || sys_statx(AT_FDCWD, path, SYS_STATX_BIRTH, &birth) < 0)
		return NULL;
	return arena_text(arena, "%llu %lld.%lld %s\n", (unsigned long long)status.st_ino,
			  (long long)birth.birth_seconds, (long long)birth.birth_nanoseconds, path);
}

bool elsewhere_has(struct arena *arena, const char *state, const char *project, const char *path)
{
	const char *text, *line = elsewhere_line(arena, path);
	if (!line ||
	    ATTEMPT(read_list(arena, path_kept(arena, state, "elsewhere", project), &text)) < 0)
		return false;
	const char *found = strstr(text, line);
	return found && (found == text || found[-1] == '\n');
}

// The list without the path.
static const char *without(struct arena *arena, const char *text, const char *path)
{
	const char *left = "", *ends = arena_text(arena, " %s", path);
	for (size_t length; *text; text += length) {
		length = strcspn(text, "\n") + 1;
		const char *line = arena_text(arena, "%.*s", (int)length - 1, text);
		if (!str_ends(line, ends))
			left = arena_text(arena, "%s%s\n", left, line);
	}
	return left;
}

int elsewhere_note(struct arena *arena, const char *state, const char *project, const char *path,
		   enum elsewhere_act act)
{
	const char *text, *file = path_kept(arena, state, "elsewhere", project);
	const char *line = act == ELSEWHERE_ALLOW ? elsewhere_line(arena, path) : "";
	autoclose int directory = owned_directory(path_parent(arena, file));
	TRY(directory);
	if (fd_lock(directory, LOCK_EX) < 0)
		return fail(errno, "'%s'", file);
	TRY(read_list(arena, file, &text));
	if (!line)
		return fail(errno, "'%s'", path);
	text = arena_text(arena, "%s%s", without(arena, text, path), line);
	if (strlen(text) > BYTES_MAX)
		return fail(0, "too many directories for one project; to remove one: sbx profile "
			       "untrust DIR");
	return owned_replace(AT_FDCWD, file, text, 0600);
}
