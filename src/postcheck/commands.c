// Owns the state of the files that settings name, before a run and after it.
#include "postcheck/commands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/entries.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "git/gitconfig.h"
#include "git/gitnamed.h"
#include "names/includes.h"
#include "names/mentions.h"
#include "names/naming.h"
#include "names/naming_find.h"
#include "names/package.h"
#include "names/trusted.h"
#include "postcheck/finding/changed.h"
#include "postcheck/finding/finding.h"

enum { FILES_MAX = 32, ENTRIES_MAX = 4096, FOUND_MAX = 4096 };

struct command_search {
	struct plan *plan;
	const char *base; // relative names begin here
	int project;      // open
	unsigned files;   // that were read
	unsigned found;   // names in them
	struct includes includes;
	struct named_file *list;
	unsigned count;
	bool full; // there are more settings, or names in them, than these
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
	*state = (struct named_state){ .outside = fd < 0 && (errno == EXDEV || errno == ELOOP) };
	if (fd < 0 || fstat(fd, &status) < 0)
		return;
	state->identity =
		(struct identity){ status.st_dev, status.st_ino, status.st_mode & S_IFMT };
	state->changed = status.st_ctim;
}

static void add(struct command_search *search, const char *path, enum mention kind)
{
	const char *root = root_of(search->plan, path);
	if (!root || str_equal(root, path))
		return;
	bool programs = kind == MENTION_PROGRAMS;
	for (unsigned i = 0; i < search->count; i++)
		if (str_equal(search->list[i].path, path)) {
			search->list[i].programs = search->list[i].programs || programs;
			return;
		}
	search->full = search->full || search->count == NAMED_MAX;
	if (search->count == NAMED_MAX)
		return;
	search->list[search->count++] =
		(struct named_file){ .path = path, .root = strlen(root), .programs = programs };
}

static void find(struct mentions *mentions, const char *name, enum mention kind)
{
	struct command_search *search = mentions->owner;
	search->full = search->full || search->found == FOUND_MAX;
	if (search->found == FOUND_MAX || strlen(name) >= PATH_MAX)
		return;
	search->found++;
	const char *path = mentions_path(search->plan->scratch, root_of(search->plan, name),
					 search->base, name);
	if (path)
		add(search, path, kind);
}

static void read_file(struct command_search *search, int directory, const char *name,
		      const struct naming_row *settings)
{
	static char text[NAMING_BYTES_MAX];
	size_t length, size = naming_bytes(settings);
	struct mentions mentions = { .found = find, .owner = search };
	if (search->files == FILES_MAX) {
		search->full = search->full || faccessat(directory, name, F_OK, 0) == 0;
		return;
	}
	if (file_read_into(directory, name, FILE_BENEATH | FILE_PART, text, size, &length) <= 0)
		return;
	search->files++;
	search->full = search->full || length == size - 1;
	if (directory == search->project && str_equal(name, "package.json"))
		search->plan->package = package_hash(text, length); // cut: it is no JSON
	naming_read(&mentions, settings, text, length);
}

static void find_included(struct includes *includes, const char *path)
{
	add(includes->owner, path, MENTION_FILE);
}

static void read_settings(void *owner, const char *name, const struct naming_row *settings)
{
	struct command_search *search = owner;
	if (!naming_includes(settings))
		read_file(search, search->project, name, settings);
	else if (!includes_read(&search->includes, name, settings))
		search->full = true;
}

// Most hold samples alone: without the memory that a stream takes.
static void read_hooks(struct command_search *search, const char *path)
{
	static const struct naming_row script = { "", NAMING_TEXT, NULL };
	autoclose int fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS);
	entries_each (entry, fd)
		if (!search->full && (entry->type == DT_REG || entry->type == DT_UNKNOWN) &&
		    !str_ends(entry->name, ".sample"))
			read_file(search, fd, entry->name, &script);
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
	const char *name = path_name(wall->target);
	if (wall->identity.type != S_IFDIR || wall->plain)
		return false;
	if (plan->configured && list_has(&plan->configured->hooks, wall->target))
		return true;
	return str_ends(name, "hooks") || str_equal(name, ".husky");
}

// Only settings that the box cannot write: their content is the user's.
static void read_wall(struct command_search *search, const struct mount *wall)
{
	const char *top = search->plan->project;
	if (is_hooks(search->plan, wall)) {
		search->base =
			base_of(search->plan, path_parent(search->plan->scratch, wall->target));
		read_hooks(search, wall->target);
		search->base = top;
		return;
	}
	if (!path_within(wall->target, top) || str_equal(wall->target, top))
		return;
	const char *name = wall->target + strlen(top) + 1;
	size_t length = strlen(name);
	for (unsigned i = 0; i < naming_count; i++) {
		const struct naming_row *settings = &naming_rows[i];
		if (naming_is(settings, name))
			read_settings(search, name, settings);
		else if (strncmp(settings->name, name, length) == 0 &&
			 settings->name[length] == '/')
			naming_find(search->project, settings, read_settings, search);
	}
}

// Settings that a box may write, and that are reported when it does: by the listing of the top.
static void read_others(struct command_search *search)
{
	const struct plan *plan = search->plan;
	const struct guard *guard = NULL;
	for (unsigned i = 0; i < plan->guard_count && !guard; i++)
		if (plan->guards[i].kind == GUARD_LISTED && plan->guards[i].above == 0 &&
		    path_within(plan->guards[i].path, plan->project) &&
		    str_equal(plan->guards[i].path + strlen(plan->project), "/."))
			guard = &plan->guards[i];
	for (unsigned i = 0; guard && i < naming_count; i++)
		list_each (item, &guard->known)
			if (naming_is(&naming_rows[i], item->text) &&
			    !trusted_is_protected(item->text))
				read_settings(search, item->text, &naming_rows[i]);
}

static void read_git(struct command_search *search)
{
	const struct plan *plan = search->plan;
	struct mentions mentions = { .found = find, .owner = search };
	for (unsigned i = 0; i < plan->copy_count; i++) {
		search->base = base_of(plan, path_parent(plan->scratch, plan->copies[i].path));
		mentions_git(&mentions, plan->scratch, plan->copies[i].text,
			     plan->copies[i].length);
	}
	search->base = plan->project;
	for (const struct gitnamed_text *one = plan->configured ? plan->configured->first : NULL;
	     one; one = one->next)
		mentions_git(&mentions, plan->scratch, one->text, one->length);
}

static int open_root(const struct named_file *named)
{
	char root[PATH_MAX];
	str_put(root, sizeof(root), "%.*s", (int)named->root, named->path);
	return sys_openat2(AT_FDCWD, root, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
}

static void find_run(struct scripts *scripts, const char *path)
{
	add(scripts->owner, path, MENTION_RUN);
}

// What is found comes to the end of the list, and is read in its turn.
static void read_scripts(struct command_search *search, unsigned from)
{
	struct scripts scripts = { .root = search->project,
				   .path = search->plan->project,
				   .arena = search->plan->scratch,
				   .found = find_run,
				   .owner = search };
	for (unsigned i = from; i < search->count && search->project >= 0; i++)
		search->full = !scripts_read(&scripts, search->list[i].path) || search->full;
}

void commands_plan(struct plan *plan, char *const *environment)
{
	struct command_search search = { .plan = plan, .base = plan->project };
	if (!plan->project || plan->guard_count == 0)
		return;
	search.list = arena_take(plan->scratch, NAMED_MAX * sizeof(*search.list));
	autoclose int project = search.project = sys_openat2(
		AT_FDCWD, plan->project, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	search.includes = (struct includes){ .root = project,
					     .path = plan->project,
					     .arena = plan->scratch,
					     .found = find_included,
					     .owner = &search };
	for (unsigned i = 0; i < plan->mount_count && project >= 0; i++)
		if (plan->mounts[i].kind == MOUNT_BIND && plan->mounts[i].access == ACCESS_READ &&
		    plan->mounts[i].on_host &&
		    str_equal(plan->mounts[i].from.file ? plan->mounts[i].from.file : "",
			      "protect"))
			read_wall(&search, &plan->mounts[i]);
	read_git(&search);
	list_each (item, &plan->led_to)
		add(&search, item->text, MENTION_PROGRAMS);
	mentions_environment(&(struct mentions){ .found = find, .owner = &search }, environment,
			     plan->project);
	read_scripts(&search, 0);
	unsigned own = search.count; // what a box may write comes last: it cannot fill the list
	read_others(&search);
	read_scripts(&search, own);
	if (search.full)
		list_add(&plan->notes, plan->arena,
			 arena_text(plan->arena,
				    "of files that settings and hooks name, %u in %u of these are "
				    "compared after the run",
				    search.count, search.files),
			 (struct origin){ .file = "protect" });
	plan->named = arena_take(plan->arena, (search.count + 1) * sizeof(*plan->named));
	for (unsigned i = 0; i < search.count; i++) {
		struct named_file *named = &plan->named[plan->named_count++];
		*named = search.list[i];
		named->path = arena_copy(plan->arena, named->path, strlen(named->path));
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
