// Owns what is kept of the settings that sbx has written: ~/.local/state/sbx/agents/files, by the
// whole path of each. Version 0.1.0 kept one for each agent.
#include "agent/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/agents.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"

const char *settings_kept(const struct settings *settings, const char *what)
{
	return arena_text(settings->arena, "%s.%s", settings->kept, what);
}

static const char *kept_name(const struct settings *settings)
{
	return arena_text(settings->arena, "%s/files%s/%s", settings->state, settings->path,
			  settings->agent->name);
}

int settings_recall(struct settings *settings, const char *named)
{
	struct arena *arena = settings->arena;
	for (int old = 0; old < 2; old++) {
		const char *written;
		unsigned mode;
		settings->kept =
			old ? arena_text(arena, "%s/%s", settings->state, settings->agent->name)
			    : kept_name(settings);
		TRY(settings_file(arena, settings_kept(settings, "written"), &written, &mode));
		if (!written)
			continue;
		settings->known = true;
		settings->unchanged = settings->exists && str_equal(written, settings->text);
		TRY(settings_file(arena, settings_kept(settings, "before"), &settings->before,
				  &mode));
		if (old && settings->before && !settings->before[0])
			settings->before = NULL;
		if (!old || settings->unchanged || !named)
			return 0;
	}
	settings->known = settings->unchanged = false;
	settings->kept = kept_name(settings);
	return 0;
}

void settings_forget(const struct settings *settings)
{
	unlink(settings_kept(settings, "written"));
	unlink(settings_kept(settings, "before"));
	unlink(arena_text(settings->arena, "%s/%s.seen", settings->state, settings->agent->name));
	// The directories that only held these.
	const char *above = path_parent(settings->arena, settings->kept);
	while (!str_equal(above, settings->state) && rmdir(above) == 0)
		above = path_parent(settings->arena, above);
}

int settings_remember(struct settings *settings, const char *text)
{
	const char *old[] = { settings_kept(settings, "before"),
			      settings_kept(settings, "written") };
	bool moved = !str_equal(settings->kept, kept_name(settings));
	settings->kept = kept_name(settings);
	autoclose int directory = owned_directory(path_parent(settings->arena, settings->kept));
	TRY(directory);
	const char *before = settings_kept(settings, "before");
	if (settings->exists)
		TRY(owned_replace(AT_FDCWD, before, settings->text, 0600));
	else if (unlink(before) < 0 && errno != ENOENT)
		return fail(errno, "remove '%s'", before);
	TRY(owned_replace(AT_FDCWD, settings_kept(settings, "written"), text, 0600));
	for (int i = 0; moved && i < 2; i++)
		unlink(old[i]);
	return 0;
}
