// Owns the reading of files of tasks and of scripts, each once. No link is followed out of the
// tree.
#include "names/includes.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "names/mentions.h"
#include "names/naming.h"

static void add(struct includes *includes, const char *path, const struct naming_row *settings)
{
	for (unsigned i = 0; i < includes->count; i++)
		if (str_equal(includes->files[i].path, path))
			return;
	includes->full = includes->full || includes->count == INCLUDES_MAX;
	if (includes->count == INCLUDES_MAX)
		return;
	includes->files[includes->count].path = path;
	includes->files[includes->count++].settings = settings;
}

static void find_from(struct includes *includes, const char *base, const char *name)
{
	const char *path = mentions_path(includes->arena, includes->path, base, name);
	if (!path || !path_within(path, includes->path) || str_equal(path, includes->path))
		return;
	includes->found(includes, path);
	add(includes, path, includes->files[includes->at].settings);
}

// make stands at the top, the others beside the file (GNU make manual, 3.3; just manual, Imports).
static void find(struct mentions *mentions, const char *name, enum mention kind)
{
	(void)kind;
	struct includes *includes = mentions->owner;
	const char *beside = path_parent(includes->arena, includes->files[includes->at].path);
	includes->full = includes->full || includes->names == INCLUDES_NAMES_MAX;
	if (includes->names == INCLUDES_NAMES_MAX || strlen(name) >= PATH_MAX)
		return;
	includes->names++;
	find_from(includes, includes->path, name);
	if (!str_equal(beside, includes->path))
		find_from(includes, beside, name);
}

bool includes_read(struct includes *includes, const char *name, const struct naming_row *settings)
{
	static char text[NAMING_BYTES_MAX];
	size_t length;
	struct mentions mentions = { .found = find, .owner = includes };
	add(includes, path_below(includes->arena, includes->path, name), settings);
	for (; includes->at < includes->count; includes->at++) {
		const char *below = includes->files[includes->at].path + strlen(includes->path) + 1;
		if (file_read_into(includes->root, below, FILE_BENEATH | FILE_PART, text,
				   sizeof(text), &length) <= 0)
			continue;
		includes->full = includes->full || length == sizeof(text) - 1;
		naming_read(&mentions, includes->files[includes->at].settings, text, length);
	}
	return !includes->full;
}

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
static void find_run(struct mentions *mentions, const char *name, enum mention kind)
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
	struct mentions mentions = { .found = find_run, .owner = scripts };
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
