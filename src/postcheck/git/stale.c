// Owns the look for git's lock files. Nothing is removed: a git of the user's own may be at work.
#include "postcheck/git/stale.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "plan.h"
#include "postcheck/finding/finding.h"
#include "report/findings.h"

enum { ENTRIES_MAX = 4096, DEPTH_MAX = 8 };

struct stale {
	struct check *check;
	char path[PATH_MAX];
	unsigned entries;
};

static void report(const struct stale *stale, const char *name)
{
	char path[PATH_MAX];
	str_put(path, sizeof(path), "%s/%s", finding_path(stale->check->plan, stale->path), name);
	findings_add(stale->check->found, FINDING_LOCK_FILE, path, "", "");
}

// `deep`: refs, where each directory can hold one.
static void look_in(struct stale *stale, int directory, unsigned depth)
{
	size_t length = strlen(stale->path);
	DIR *stream = fdopendir(directory);
	for (struct dirent *entry = stream ? readdir(stream) : NULL;
	     entry && stale->entries++ < ENTRIES_MAX; entry = readdir(stream)) {
		const char *name = entry->d_name;
		if (str_equal(name, ".") || str_equal(name, ".."))
			continue;
		if (str_ends(name, ".lock") && finding_is_changed(stale->check, directory, name))
			report(stale, name);
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
		if (finding_is_changed(check, directory, places[i]))
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
	str_put(stale->path, sizeof(stale->path), "%s", path);
	look_in(stale, take(&top), 0);
	str_put(stale->path, sizeof(stale->path), "%s/refs", path);
	if (refs >= 0)
		look_in(stale, refs, DEPTH_MAX);
}

void stale_tell(struct check *check)
{
	struct stale stale = { .check = check };
	const struct plan *plan = check->plan;
	char own[PATH_MAX];
	if (!plan->index || !plan->repository)
		return;
	str_put(own, sizeof(own), "%.*s", (int)(path_name(plan->index) - plan->index - 1),
		plan->index);
	look_at(&stale, own);
	if (!str_equal(own, plan->repository))
		look_at(&stale, plan->repository);
}
