// Owns what stands at the names of such files, before a run and after it.
#include "guard/commands.h"

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
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/gitconfig.h"
#include "base/gitnamed.h"
#include "base/mentions.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "guard/changed.h"
#include "guard/vet.h"

enum { FILES_MOST = 32, TOLD_MOST = 16, ENTRIES_MOST = 4096, SCRIPTS_BYTES_MOST = 1 << 18 };

struct search {
	struct plan *plan;
	const char *base; // relative names begin here
	unsigned files;   // that were read
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

static void add(struct search *search, const char *path, enum mention kind)
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
	search->full = search->full || search->count == NAMED_MOST;
	if (search->count == NAMED_MOST)
		return;
	search->list[search->count++] =
		(struct named_file){ .path = path, .root = strlen(root), .programs = programs };
}

// "./tools/x", "$ROOT/tools/x" and "${ROOT}/tools/x", and the whole path, are tools/x.
static void find(struct mentions *mentions, const char *name, enum mention kind)
{
	struct search *search = mentions->owner;
	struct arena *arena = search->plan->scratch;
	bool whole = name[0] == '/' && root_of(search->plan, name);
	const char *path =
		whole ? path_clean(arena, name) : mentions_below(arena, search->base, name);
	if (path)
		add(search, path, kind);
}

static void read_file(struct search *search, int directory, const char *name,
		      const struct mentions_settings *settings)
{
	static char text[SCRIPTS_BYTES_MOST];
	size_t length,
		size = settings->form == MENTIONS_SCRIPTS ? sizeof(text) : MENTIONS_BYTES_MOST;
	struct mentions mentions = { .found = find, .owner = search };
	search->full = search->full || search->files == FILES_MOST;
	if (search->files == FILES_MOST ||
	    file_read_into(directory, name, FILE_BENEATH | FILE_PART, text, size, &length) <= 0)
		return;
	search->files++;
	mentions_read(&mentions, search->plan->scratch, settings, text, length);
}

// Most hold samples alone: without the memory that a stream takes.
static void read_hooks(struct search *search, const char *path)
{
	static const struct mentions_settings script = { "", MENTIONS_TEXT, NULL };
	_Alignas(struct sys_entry) char entries[2048] __attribute__((uninitialized));
	autoclose int fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS);
	long size;
	while (fd >= 0 && !search->full && (size = sys_getdents(fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size;) {
			const struct sys_entry *entry = (const void *)(entries + at);
			at += entry->size;
			if ((entry->type == DT_REG || entry->type == DT_UNKNOWN) &&
			    !str_ends(entry->name, ".sample"))
				read_file(search, fd, entry->name, &script);
		}
}

// The text of git's configuration in a directory of git's, as it was at the start: what the box
// changes there is withheld.
static const struct copy *copy_in(const struct plan *plan, const char *directory)
{
	for (unsigned i = 0; i < plan->copy_count; i++)
		if (path_within(plan->copies[i].path, directory) &&
		    str_equal(plan->copies[i].path + strlen(directory), "/config"))
			return &plan->copies[i];
	return NULL;
}

// Where git stands when it runs what a directory of its own says.
static const char *base_of(const struct plan *plan, const char *directory)
{
	struct gitconfig config;
	if (str_equal(path_name(directory), ".git"))
		return path_parent(plan->scratch, directory);
	const struct copy *copy = copy_in(plan, directory);
	if (!copy || gitconfig_parse(plan->scratch, copy->text, copy->length, &config) < 0) {
		err_clear();
		return plan->project;
	}
	const char *tree = gitconfig_value(&config, "core.worktree");
	return !tree ? plan->project
		     : path_clean(plan->scratch, path_join(plan->scratch, directory, tree));
}

static bool is_hooks(const struct plan *plan, const struct mount *wall)
{
	const char *name = path_name(wall->target);
	if (wall->identity.type != S_IFDIR)
		return false;
	for (const struct item *item = plan->configured ? plan->configured->hooks.first : NULL;
	     item; item = item->next)
		if (str_equal(item->text, wall->target))
			return true;
	return str_ends(name, "hooks") || str_equal(name, ".husky");
}

// Only settings that the box cannot write: what stands there is the user's own.
static void read_wall(struct search *search, int project, const struct mount *wall)
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
	for (unsigned i = 0; i < mentions_settings_count; i++)
		if (strncmp(mentions_settings[i].name, name, length) == 0 &&
		    (mentions_settings[i].name[length] == '\0' ||
		     mentions_settings[i].name[length] == '/'))
			read_file(search, project, mentions_settings[i].name,
				  &mentions_settings[i]);
}

// Settings that a box may write, and that are told when it does: by the listing of the top.
static void read_others(struct search *search, int project)
{
	const struct plan *plan = search->plan;
	const struct guard *guard = NULL;
	for (unsigned i = 0; i < plan->guard_count && !guard; i++)
		if (plan->guards[i].kind == GUARD_LISTED && plan->guards[i].above == 0 &&
		    path_within(plan->guards[i].path, plan->project) &&
		    str_equal(plan->guards[i].path + strlen(plan->project), "/."))
			guard = &plan->guards[i];
	for (unsigned i = 0; guard && i < mentions_settings_count; i++)
		list_each (item, &guard->known)
			if (str_equal(item->text, mentions_settings[i].name) &&
			    mentions_settings[i].form != MENTIONS_TEXT &&
			    mentions_settings[i].form != MENTIONS_DIRENV)
				read_file(search, project, item->text, &mentions_settings[i]);
}

static void read_git(struct search *search)
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
	snprintf(root, sizeof(root), "%.*s", (int)named->root, named->path);
	return sys_openat2(AT_FDCWD, root, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
}

void commands_plan(struct plan *plan)
{
	struct search search = { .plan = plan, .base = plan->project };
	if (!plan->project || plan->guard_count == 0)
		return;
	search.list = arena_take(plan->scratch, NAMED_MOST * sizeof(*search.list));
	autoclose int project = sys_openat2(AT_FDCWD, plan->project,
					    O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	for (unsigned i = 0; i < plan->mount_count && project >= 0; i++)
		if (plan->mounts[i].kind == MOUNT_BIND && plan->mounts[i].access == ACCESS_READ &&
		    plan->mounts[i].on_host &&
		    str_equal(plan->mounts[i].from.file ? plan->mounts[i].from.file : "",
			      "protect"))
			read_wall(&search, project, &plan->mounts[i]);
	read_others(&search, project);
	read_git(&search);
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
	struct stat status;
	struct timespec start = check->start;
	bool changed = false;
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	unsigned count = 0;
	for (struct dirent *entry = stream ? readdir(stream) : NULL;
	     entry && !changed && count++ < ENTRIES_MOST; entry = readdir(stream)) {
		if (str_equal(entry->d_name, ".."))
			continue;
		changed = vet_is_changed(check, fd, entry->d_name);
		if (entry->d_type != DT_LNK || snprintf(below, sizeof(below), "%s/%s", path,
							entry->d_name) >= (int)sizeof(below))
			continue;
		autoclose int to = sys_openat2(root, below, O_PATH | O_CLOEXEC, RESOLVE_BENEATH);
		changed = changed || (to >= 0 && fstat(to, &status) == 0 &&
				      (status.st_ctim.tv_sec > start.tv_sec ||
				       (status.st_ctim.tv_sec == start.tv_sec &&
					status.st_ctim.tv_nsec >= start.tv_nsec)));
	}
	if (stream)
		closedir(stream);
	return changed || count > ENTRIES_MOST;
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
					    : check->plan->due && vet_is_changed(check, fd, "");
}

void commands_tell(const struct check *check)
{
	const struct plan *plan = check->plan;
	unsigned count = 0;
	for (unsigned i = 0; i < plan->named_count; i++) {
		autoclose int root = open_root(&plan->named[i]);
		if (differs(check, &plan->named[i], root) && count++ < TOLD_MOST)
			changed_add(check, plan->named[i].path);
	}
	if (count > TOLD_MOST)
		out_text(check->told,
			 "sbx: and %u more files that your settings name were changed\n",
			 count - TOLD_MOST);
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
	return S_ISREG(status.st_mode) && (vet_is_changed(check, fd, "") ||
					   !vet_is_own(check, directory, name, path, OWN_ALL));
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
