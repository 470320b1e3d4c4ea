// Owns the look for git's lock files. Nothing is removed: a git of the user's own may be at work.
#include "guard/stale.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "guard/vet.h"
#include "plan.h"

enum { ENTRIES_MOST = 4096, DEPTH_MOST = 8, TOLD_MOST = 8 };

struct stale {
	struct check *check;
	char path[PATH_MAX];
	unsigned entries, found;
};

static void found(struct stale *stale, const char *name)
{
	if (stale->found++ < TOLD_MOST)
		out_text(
			stale->check->told,
			"sbx: %s/%s: a lock file that the box left, and your git stops at it; when "
			"no git is at work here, remove it\n",
			vet_short_path(stale->check->plan, stale->path), str_shown(name));
}

// `deep`: refs, where each directory can hold one.
static void look_in(struct stale *stale, int directory, unsigned depth)
{
	size_t length = strlen(stale->path);
	DIR *stream = fdopendir(directory);
	for (struct dirent *entry = stream ? readdir(stream) : NULL;
	     entry && stale->entries++ < ENTRIES_MOST; entry = readdir(stream)) {
		const char *name = entry->d_name;
		if (str_equal(name, ".") || str_equal(name, ".."))
			continue;
		if (str_ends(name, ".lock") && vet_is_changed(stale->check, directory, name))
			found(stale, name);
		if (depth == 0 || entry->d_type != DT_DIR ||
		    length + strlen(name) + 2 > sizeof(stale->path))
			continue;
		int below =
			openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below < 0)
			continue;
		snprintf(stale->path + length, sizeof(stale->path) - length, "/%s", name);
		look_in(stale, below, depth - 1);
		stale->path[length] = '\0';
	}
	if (stream)
		closedir(stream);
	else
		close(directory);
}

static bool is_touched(const struct check *check, int directory)
{
	static const char *const places[] = { "", "refs", "refs/heads", "refs/tags" };
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (vet_is_changed(check, directory, places[i]))
			return true;
	return false;
}

static void look_at(struct stale *stale, const char *path)
{
	autoclose int top = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
					RESOLVE_NO_SYMLINKS);
	if (top < 0 || !is_touched(stale->check, top))
		return;
	int refs = openat(top, "refs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(stale->path, sizeof(stale->path), "%s", path);
	look_in(stale, take(&top), 0);
	snprintf(stale->path, sizeof(stale->path), "%s/refs", path);
	if (refs >= 0)
		look_in(stale, refs, DEPTH_MOST);
}

void stale_tell(struct check *check)
{
	struct stale stale = { .check = check };
	const struct plan *plan = check->plan;
	char own[PATH_MAX];
	if (!plan->index || !plan->repository)
		return;
	snprintf(own, sizeof(own), "%.*s", (int)(path_name(plan->index) - plan->index - 1),
		 plan->index);
	look_at(&stale, own);
	if (!str_equal(own, plan->repository))
		look_at(&stale, plan->repository);
	if (stale.found > TOLD_MOST)
		out_text(check->told, "sbx: and %u more such lock files\n",
			 stale.found - TOLD_MOST);
}
