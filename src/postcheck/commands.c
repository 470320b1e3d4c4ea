// Owns the state of the files that git's configuration, hooks and .envrc name, before a run and
// after it.
#include "postcheck/check.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/recognise.h"
#include "names/trusted.h"
#include "postcheck/finding/finding.h"

// Git's current directory when it runs what a file of its directory says.
static const char *base_of(const struct plan *plan, const char *file)
{
	const char *directory = path_parent(plan->scratch, file);
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

// Only hooks that the box cannot write: their content is the user's.
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
	for (const struct gitnamed_text *one = plan->configured ? plan->configured->first : NULL;
	     one; one = one->next)
		mentions_git(mentions, plan->project, one->text, one->length);
}

static void read_package(struct plan *plan, int project)
{
	const char *text;
	size_t length;
	if (file_read(project, "package.json", FILE_BENEATH, PACKAGE_BYTES_MAX, plan->scratch,
		      &text, &length) > 0)
		plan->package = package_hash(text, length);
}

// False where there is nothing, or a link leads out of the project.
static bool look(int project, const struct plan *plan, const char *path, struct named_file *ret)
{
	struct stat status;
	autoclose int fd = sys_openat2(project, path + strlen(plan->project) + 1,
				       O_PATH | O_CLOEXEC, RESOLVE_BENEATH);
	if (fd < 0 || fstat(fd, &status) < 0)
		return false;
	*ret = (struct named_file){ .path = path,
				    .inode = status.st_ino,
				    .device = status.st_dev,
				    .changed = status.st_ctim };
	return true;
}

static int open_project(const struct plan *plan)
{
	return sys_openat2(AT_FDCWD, plan->project, O_PATH | O_DIRECTORY | O_CLOEXEC,
			   RESOLVE_NO_SYMLINKS);
}

void commands_plan(struct plan *plan)
{
	if (!plan->project || plan->guard_count == 0)
		return;
	autoclose int project = open_project(plan);
	struct mentions mentions = { .root = project, .path = plan->project, .arena = plan->arena };
	mentions_file(&mentions, plan->project, project, ".envrc");
	read_hooks(&mentions, plan);
	read_git(&mentions, plan);
	read_package(plan, project);
	list_each (item, &plan->led_to)
		list_add(&mentions.files, plan->arena, item->text, item->from);
	unsigned count = 0;
	list_each (item, &mentions.files)
		count++;
	plan->named = arena_take(plan->arena, (count + 1) * sizeof(*plan->named));
	list_each (item, &mentions.files)
		if (path_within(item->text, plan->project) && !str_equal(item->text, plan->project))
			plan->named_count +=
				look(project, plan, item->text, &plan->named[plan->named_count]);
}

// After a killed run nobody knows what stood there before it: its time alone decides.
void commands_tell(const struct check *check)
{
	const struct plan *plan = check->plan;
	autoclose int project = plan->named_count > 0 ? open_project(plan) : -1;
	for (unsigned i = 0; i < plan->named_count; i++) {
		const struct named_file *before = &plan->named[i];
		struct named_file now;
		if (!look(project, plan, before->path, &now))
			continue;
		bool same = now.inode == before->inode && now.device == before->device &&
			    now.changed.tv_sec == before->changed.tv_sec &&
			    now.changed.tv_nsec == before->changed.tv_nsec;
		if (plan->due ? finding_is_changed(check, AT_FDCWD, before->path) : !same)
			changed_add(check, before->path);
	}
}
