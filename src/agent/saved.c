// Owns the copies of agents' settings files, before and after sbx's change.
#include "agent/agent_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agents.h"
#include "base/base.h"
#include "base/fd.h"
#include "text/json.h"

int saved_read(struct arena *arena, const char *path, const char **ret_text, unsigned *ret_mode)
{
	struct stat status;
	size_t length;
	autoclose int fd = file_open(AT_FDCWD, path, FILE_LINK, &status);
	*ret_text = NULL;
	if (fd < 0 && file_missing())
		return 0;
	if (fd < 0 || file_read_open(fd, &status, JSON_BYTES_MAX, arena, ret_text, &length) < 0)
		return file_failed(arena_text(arena, "'%s'", path), JSON_BYTES_MAX);
	if (memchr(*ret_text, '\0', length))
		return fail(0, "'%s': a NUL byte in it", path);
	*ret_mode = status.st_mode & 07777;
	return 0;
}

const char *saved_path(const struct settings *settings, const char *which)
{
	return arena_text(settings->arena, "%s.%s", settings->saved, which);
}

int saved_find(struct settings *settings)
{
	struct arena *arena = settings->arena;
	unsigned mode;
	settings->saved = arena_text(arena, "%s/files%s/%s", settings->state, settings->path,
				     settings->agent->name);
	TRY(saved_read(arena, saved_path(settings, "written"), &settings->written, &mode));
	return settings->written
		       ? saved_read(arena, saved_path(settings, "before"), &settings->before, &mode)
		       : 0;
}

void saved_remove(const struct settings *settings)
{
	unlink(saved_path(settings, "written"));
	unlink(saved_path(settings, "before"));
	unlink(arena_text(settings->arena, "%s/%s.seen", settings->state, settings->agent->name));
	const char *above = path_parent(settings->arena, settings->saved);
	while (!str_equal(above, settings->state) && rmdir(above) == 0)
		above = path_parent(settings->arena, above);
}

int saved_store(struct settings *settings, const char *text)
{
	const char *before = saved_path(settings, "before");
	autoclose int directory = owned_directory(path_parent(settings->arena, settings->saved));
	TRY(directory);
	if (settings->exists)
		TRY(owned_replace(AT_FDCWD, before, settings->text, 0600));
	else if (unlink(before) < 0 && errno != ENOENT)
		return fail(errno, "remove '%s'", before);
	return owned_replace(AT_FDCWD, saved_path(settings, "written"), text, 0600);
}
