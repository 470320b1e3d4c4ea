// Owns the reading of such scripts. No link is followed out of the tree.
#include "names/scripts.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "names/mentions.h"

static bool is_run(const struct scripts *scripts, const char *path, enum mention kind)
{
	struct stat status;
	if (!path_within(path, scripts->path) || !path[strlen(scripts->path)])
		return false;
	autoclose int fd = sys_openat2(scripts->root, path + strlen(scripts->path) + 1,
				       O_PATH | O_CLOEXEC, RESOLVE_BENEATH);
	return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	       (kind == MENTION_RUN || (status.st_mode & 0111) != 0);
}

// Its caller stands beside the script, or in a directory above.
static void find(struct mentions *mentions, const char *name, enum mention kind)
{
	struct scripts *scripts = mentions->owner;
	const char *base = scripts->base;
	for (bool top = false; !top; base = path_parent(scripts->arena, base)) {
		const char *path = mentions_path(scripts->arena, scripts->path, base, name);
		top = str_equal(base, scripts->path);
		if (path && is_run(scripts, path, kind))
			scripts->found(scripts, path);
	}
}

static bool is_of_shell(const char *text, size_t length)
{
	const char *newline = memchr(text, '\n', length);
	return length > 2 && memcmp(text, "#!", 2) == 0 && newline &&
	       memmem(text, (size_t)(newline - text), "sh", 2);
}

bool scripts_read(struct scripts *scripts, const char *path)
{
	static char text[MENTIONS_BYTES_MAX + 1];
	struct mentions mentions = { .found = find, .owner = scripts };
	size_t length;
	if (!path_within(path, scripts->path) || !path[strlen(scripts->path)] ||
	    file_read_into(scripts->root, path + strlen(scripts->path) + 1,
			   FILE_BENEATH | FILE_PART, text, MENTIONS_BYTES_MAX, &length) <= 0 ||
	    !is_of_shell(text, length))
		return true;
	if (scripts->count++ >= SCRIPTS_MAX)
		return false;
	scripts->base = path_parent(scripts->arena, path);
	mentions_text(&mentions, text, length);
	return true;
}
