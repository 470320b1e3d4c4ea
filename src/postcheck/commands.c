// Owns the list of files that git's configuration, hooks and .envrc name.
#include "postcheck/postcheck.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/git.h"
#include "names/names.h"
#include "postcheck/acts/check.h"
#include "view/paths/wishes.h"

// Returns the directory in which git runs the commands of `file`.
static const char *base_of(const struct plan *plan, const char *file)
{
	const char *directory = path_parent(plan->scratch, file);
	for (unsigned i = 0; i < plan->copy_count; i++)
		if (plan->copies[i].top &&
		    str_equal(path_parent(plan->scratch, plan->copies[i].path), directory))
			return plan->copies[i].top;
	return str_equal(path_name(directory), ".git") ? path_parent(plan->scratch, directory)
						       : plan->project;
}

static bool is_hooks(const struct plan *plan, const struct mount *wall)
{
	return wall->identity.type == S_IFDIR && !wall->plain &&
	       ((plan->configured && list_has(&plan->configured->hooks, wall->target)) ||
		str_ends(path_name(wall->target), "hooks") ||
		str_equal(path_name(wall->target), ".husky"));
}

// Reads hooks that the box cannot write.
static void read_hooks(struct mentions *mentions, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *wall = &plan->mounts[i];
		if (wall->kind == MOUNT_BIND && wall->access == ACCESS_READ && wall->on_host &&
		    is_hooks(plan, wall))
			mentions_hooks(mentions, base_of(plan, wall->target), wall->target);
	}
}

static void read_git(struct mentions *mentions, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->copy_count; i++) {
		const struct copy *copy = &plan->copies[i];
		mentions_git(mentions, base_of(plan, copy->path), copy->text, copy->length);
	}
	if (!plan->configured)
		return;
	mentions->whose = APART_OWN;
	list_each (item, &plan->configured->settings)
		mentions_git(mentions, plan->project, item->text, strlen(item->text));
	for (const struct gitnamed_text *one = plan->configured->first; one; one = one->next) {
		mentions->whose = one->whose;
		mentions_git(mentions, plan->project, one->text, one->length);
	}
}

static int open_project(const struct plan *plan)
{
	return sys_openat2(AT_FDCWD, plan->project, O_PATH | O_DIRECTORY | O_CLOEXEC,
			   RESOLVE_NO_SYMLINKS);
}

void commands_plan(struct plan *plan)
{
	if (!plan->project || plan->place_count == 0)
		return;
	autoclose int project = open_project(plan);
	struct mentions mentions = { .root = project,
				     .path = plan->project,
				     .home = plan->real_home,
				     .arena = plan->arena };
	mentions_file(&mentions, plan->project, project, ".envrc");
	read_hooks(&mentions, plan);
	read_git(&mentions, plan);
	list_each (item, &mentions.files)
		if (path_within(item->text, plan->project) && !str_equal(item->text, plan->project))
			(void)ATTEMPT(place_name(plan, item->text, ACT_FOLLOW));
}
