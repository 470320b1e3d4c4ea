// Owns the copies of settings that sbx has written: ~/.local/state/sbx/agents/files, by the whole
// path of each. Version 0.1.0 had one for each agent.
#include "agent/agent_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agents.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"
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

static const char *saved_name(const struct settings *settings)
{
	return arena_text(settings->arena, "%s/files%s/%s", settings->state, settings->path,
			  settings->agent->name);
}

int saved_find(struct settings *settings, const char *named)
{
	struct arena *arena = settings->arena;
	for (int old = 0; old < 2; old++) {
		const char *written;
		unsigned mode;
		settings->saved =
			old ? arena_text(arena, "%s/%s", settings->state, settings->agent->name)
			    : saved_name(settings);
		TRY(saved_read(arena, saved_path(settings, "written"), &written, &mode));
		if (!written)
			continue;
		settings->known = true;
		settings->unchanged = settings->exists && str_equal(written, settings->text);
		TRY(saved_read(arena, saved_path(settings, "before"), &settings->before, &mode));
		if (old && settings->before && !settings->before[0])
			settings->before = NULL;
		if (!old || settings->unchanged || !named)
			return 0;
	}
	settings->known = settings->unchanged = false;
	settings->saved = saved_name(settings);
	return 0;
}

void saved_remove(const struct settings *settings)
{
	unlink(saved_path(settings, "written"));
	unlink(saved_path(settings, "before"));
	unlink(arena_text(settings->arena, "%s/%s.seen", settings->state, settings->agent->name));
	// The directories that only held these.
	const char *above = path_parent(settings->arena, settings->saved);
	while (!str_equal(above, settings->state) && rmdir(above) == 0)
		above = path_parent(settings->arena, above);
}

int saved_store(struct settings *settings, const char *text)
{
	const char *old[] = { saved_path(settings, "before"), saved_path(settings, "written") };
	bool moved = !str_equal(settings->saved, saved_name(settings));
	settings->saved = saved_name(settings);
	autoclose int directory = owned_directory(path_parent(settings->arena, settings->saved));
	TRY(directory);
	const char *before = saved_path(settings, "before");
	if (settings->exists)
		TRY(owned_replace(AT_FDCWD, before, settings->text, 0600));
	else if (unlink(before) < 0 && errno != ENOENT)
		return fail(errno, "remove '%s'", before);
	TRY(owned_replace(AT_FDCWD, saved_path(settings, "written"), text, 0600));
	for (int i = 0; moved && i < 2; i++)
		unlink(old[i]);
	return 0;
}
