// Owns the state of the files that settings name, before a run and after it.
#include "postcheck/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/gitconfig.h"
#include "git/recognise.h"
#include "names/trusted.h"
#include "postcheck/finding/finding.h"

enum { ENTRIES_MAX = 4096 };

struct command_search {
	struct plan *plan;
	struct named_file *list;
	unsigned count, room;
};

// The deepest of what is searched, as nothing else can be written.
static const char *root_of(const struct plan *plan, const char *path)
{
	const char *root = NULL;
	for (unsigned i = 0; i < plan->searched_count; i++)
		if (path_within(path, plan->searched[i].path) &&
		    (!root || path_within(plan->searched[i].path, root)))
			root = plan->searched[i].path;
	return root;
}

// A link is followed, but not out of the root. Nothing leads out of it and back.
static void look(int root, const char *name, struct named_state *state)
{
	struct stat status;
	autoclose int fd = sys_openat2(root, name, O_PATH | O_CLOEXEC, RESOLVE_BENEATH);
	*state = (struct named_state){ .outside = fd < 0 && (errno == EXDEV || errno == ELOOP ||
							     errno == EAGAIN) };
	if (fd < 0 || fstat(fd, &status) < 0)
		return;
	state->identity =
		(struct identity){ status.st_dev, status.st_ino, status.st_mode & S_IFMT };
	state->changed = status.st_ctim;
}

static void add(struct command_search *search, const char *path, bool programs)
{
	const char *root = root_of(search->plan, path);
	if (!root || str_equal(root, path))
		return;
	for (unsigned i = 0; i < search->count; i++)
		if (str_equal(search->list[i].path, path)) {
			search->list[i].programs = search->list[i].programs || programs;
			return;
		}
	if (search->count == search->room) {
		struct named_file *list = search->list;
		search->room = 2 * search->room + 16;
		search->list = arena_take(search->plan->arena, search->room * sizeof(*list));
		if (list)
			memcpy(search->list, list, search->count * sizeof(*list));
	}
	search->list[search->count++] =
		(struct named_file){ .path = arena_copy(search->plan->arena, path, strlen(path)),
				     .root = strlen(root),
				     .programs = programs };
}

static void find(struct mentions *mentions, const char *path, bool programs)
{
	add(mentions->owner, path, programs);
}

// git's configuration there as it was at the start: what the box changes in it is withheld.
static const struct copy *copy_in(const struct plan *plan, const char *directory)
{
	for (unsigned i = 0; i < plan->copy_count; i++)
		if (path_within(plan->copies[i].path, directory) &&
		    str_equal(plan->copies[i].path + strlen(directory), "/config"))
			return &plan->copies[i];
	return NULL;
}

// Git's current directory when it runs what a file of its directory says.
static const char *base_of(const struct plan *plan, const char *directory)
{
	struct gitconfig config;
	if (str_equal(path_name(directory), ".git"))
		return path_parent(plan->scratch, directory);
	const struct copy *copy = copy_in(plan, directory);
	if (!copy || ATTEMPT(gitconfig_parse(plan->scratch, copy->text, copy->length, &config)) < 0)
		return plan->project;
	const char *tree = gitconfig_value(&config, "core.worktree");
	return !tree ? plan->project
		     : path_clean(plan->scratch, path_join(plan->scratch, directory, tree));
}

static bool is_hooks(const struct plan *plan, const struct mount *wall)
{
	return wall->identity.type == S_IFDIR && !wall->plain &&
	       ((plan->configured && list_has(&plan->configured->hooks, wall->target)) ||
		str_ends(path_name(wall->target), "hooks"));
}

// Opens the tree that may be written around a directory in which git works. Returns that directory;
// of a repository outside the one of its worktree that is the project.
static const char *enter(struct mentions *mentions, const struct plan *plan, const char *top)
{
	const char *root = root_of(plan, top);
	if (!root)
		root = top = plan->project;
	if (mentions->root >= 0 && str_equal(root, mentions->path))
		return top;
	fd_close(&mentions->root);
	mentions->path = root;
	mentions->listed = NULL;
	mentions->root =
		sys_openat2(AT_FDCWD, root, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	return top;
}

// Only settings that the box cannot write: their content is the user's.
static void read_wall(struct mentions *mentions, const struct plan *plan, const struct mount *wall)
{
	const char *top = plan->project;
	bool hooks = is_hooks(plan, wall);
	if (hooks)
		top = base_of(plan, path_parent(plan->scratch, wall->target));
	if (!hooks && (!path_within(wall->target, top) || str_equal(wall->target, top) ||
		       strstr(wall->target, "/.git/")))
		return;
	mentions_settings(mentions, enter(mentions, plan, top), wall->target);
}

static void read_git(struct mentions *mentions, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->copy_count; i++) {
		const struct copy *copy = &plan->copies[i];
		const char *top = base_of(plan, path_parent(plan->scratch, copy->path));
		mentions_git(mentions, enter(mentions, plan, top), copy->text, copy->length);
	}
	enter(mentions, plan, plan->project);
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

static int open_root(const struct named_file *named)
{
	char root[PATH_MAX];
	str_put(root, sizeof(root), "%.*s", (int)named->root, named->path);
	return sys_openat2(AT_FDCWD, root, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
}

void commands_plan(struct plan *plan, char *const *environment)
{
	struct command_search search = { .plan = plan };
	if (!plan->project || plan->guard_count == 0)
		return;
	struct mentions mentions = {
		.root = -1, .path = "", .arena = plan->scratch, .found = find, .owner = &search
	};
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == MOUNT_BIND && plan->mounts[i].access == ACCESS_READ &&
		    plan->mounts[i].on_host &&
		    str_equal(plan->mounts[i].from.file ? plan->mounts[i].from.file : "",
			      "protect"))
			read_wall(&mentions, plan, &plan->mounts[i]);
	read_git(&mentions, plan);
	read_package(plan, mentions.root);
	list_each (item, &plan->led_to)
		add(&search, item->text, true);
	mentions_environment(&mentions, environment);
	fd_close(&mentions.root);
	if (mentions.cut)
		list_add(&plan->notes, plan->arena,
			 arena_text(plan->arena,
				    "of files that settings and hooks name, %u in %u of these are "
				    "compared after the run",
				    search.count, mentions.files),
			 (struct origin){ .file = "protect" });
	plan->named = search.list;
	plan->named_count = search.count;
	for (unsigned i = 0; i < search.count; i++) {
		struct named_file *named = &search.list[i];
		autoclose int root = open_root(named);
		look(root, named->path + named->root + 1, &named->before);
	}
}

// One of the programs, or what a link among them leads to.
static bool has_changed(const struct check *check, int root, int directory, const char *path)
{
	char below[PATH_MAX];
	bool changed = finding_is_changed(check, directory, "");
	unsigned count = 0;
	autoclose int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	entries_some (entry, changed ? -1 : fd, ENTRIES_MAX + 1) {
		count++;
		changed = changed || finding_is_changed(check, fd, entry->name);
		if (entry->type != DT_LNK ||
		    !str_put(below, sizeof(below), "%s/%s", path, entry->name))
			continue;
		autoclose int to = sys_openat2(root, below, O_PATH | O_CLOEXEC, RESOLVE_BENEATH);
		changed = changed || (to >= 0 && finding_is_changed(check, to, ""));
	}
	return changed || count > ENTRIES_MAX;
}

static bool is_same(const struct named_state *left, const struct named_state *right)
{
	return left->outside == right->outside && left->identity.device == right->identity.device &&
	       left->identity.inode == right->identity.inode &&
	       left->changed.tv_sec == right->changed.tv_sec &&
	       left->changed.tv_nsec == right->changed.tv_nsec;
}

// After a killed run nobody knows what stood there before it: its time alone decides.
static bool differs(const struct check *check, const struct named_file *named, int root)
{
	struct named_state now;
	const char *name = named->path + named->root + 1;
	look(root, name, &now);
	if (!now.outside && now.identity.type != S_IFREG &&
	    !(now.identity.type == S_IFDIR && named->programs))
		return false;
	if (!check->plan->due && !is_same(&named->before, &now))
		return true;
	autoclose int fd = sys_openat2(root, name, O_PATH | O_CLOEXEC, RESOLVE_BENEATH);
	if (fd < 0)
		return false;
	return now.identity.type == S_IFDIR ? has_changed(check, root, fd, name)
					    : check->plan->due && finding_is_changed(check, fd, "");
}

void commands_tell(const struct check *check)
{
	const struct plan *plan = check->plan;
	for (unsigned i = 0; i < plan->named_count; i++) {
		autoclose int root = open_root(&plan->named[i]);
		if (differs(check, &plan->named[i], root))
			changed_add(check, plan->named[i].path);
	}
}

// What a link leads to is judged by its time alone.
static bool has_changed_below(const struct check *check, int directory, const char *name,
			      const char *path, const struct named_file *named)
{
	struct stat status;
	autoclose int fd = sys_openat2(directory, name, O_PATH | O_CLOEXEC, RESOLVE_BENEATH);
	if (fd < 0 || fstat(fd, &status) < 0)
		return false;
	if (S_ISDIR(status.st_mode))
		return named->programs && has_changed(check, directory, fd, name);
	return S_ISREG(status.st_mode) && (finding_is_changed(check, fd, "") ||
					   !finding_is_own(check, directory, name, path, OWN_ALL));
}

void commands_tell_below(const struct check *check, int directory, const char *path)
{
	char below[PATH_MAX];
	const struct plan *plan = check->plan;
	for (unsigned i = 0; i < plan->named_count; i++) {
		const char *name = plan->named[i].path + plan->named[i].root + 1;
		if (snprintf(below, sizeof(below), "%s/%s", path, name) < (int)sizeof(below) &&
		    has_changed_below(check, directory, name, below, &plan->named[i]))
			changed_add(check, below);
	}
}
