// Owns the layout of git repositories (gitrepository-layout(5)): .git as directory or file, the
// common directory of worktrees, submodules. What a hostile project says about places outside of
// it counts for nothing unless those places point back.
#include "view/protect/protect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/recognise.h"
#include "view/paths/wishes.h"

enum { ENTRIES_MAX = 64, DEPTH_MAX = 4 };

static int protect_directory(struct wishes *wishes, const char *directory, const char *top,
			     struct origin from, unsigned depth);

static const struct names_found unlisted = { .cut = true };

// What a directory holds: `count` is ENTRIES_MAX + 1 when that is too many to be protected one
// by one. A directory that is missing holds nothing; 1: it is a link, or something else.
struct entries {
	const char *names[ENTRIES_MAX];
	bool directories[ENTRIES_MAX]; // or not known to be none
	unsigned count;
};

static int list_entries(struct wishes *wishes, const char *directory, struct entries *ret_entries)
{
	ret_entries->count = 0;
	if (names_lack(&wishes->names, directory))
		return 0;
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return 1;
	if (fd < 0)
		return errno == ENOENT ? 0 : protect_failed(wishes, directory);
	entries_each (entry, fd) {
		const char *name = entry->name;
		if (wishes->plan->due &&
		    !protect_stood(wishes->plan, path_below(wishes->arena, directory, name)))
			continue;
		unsigned next = ret_entries->count++;
		if (next == ENTRIES_MAX)
			break;
		ret_entries->names[next] = arena_copy(wishes->arena, name, strlen(name));
		ret_entries->directories[next] =
			name[0] != '.' && (entry->type == DT_DIR || entry->type == DT_UNKNOWN);
	}
	return 0;
}

static int protect_worktree(struct wishes *wishes, const char *path, struct origin from,
			    unsigned depth)
{
	struct names around = wishes->names;
	struct names_found found = { .arena = wishes->arena, .every = true };
	(void)depth;
	git_parts_read(wishes, path, &found);
	int result = git_parts_protect(wishes, path, NULL, &found, from, LAYOUT_WORKTREE);
	wishes->names = around;
	return result;
}

// A name that git does not know: the user's own git directory has the same parts.
static int protect_unknown(struct wishes *wishes, const char *path, struct origin from,
			   unsigned depth)
{
	autoclose int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || git_directory(fd) == GIT_NONE || !protect_has_room(wishes) ||
	    !protect_stood(wishes->plan, path))
		return 0;
	return protect_directory(wishes, path, NULL, from, depth + 1);
}

// One mount for all, whatever their number, and nothing can come in there. What the project itself
// is a worktree of stays writable: git commits there.
static int protect_crowd(struct wishes *wishes, const char *directory, enum guarded kind,
			 struct origin from)
{
	struct plan *plan = wishes->plan;
	const char *own = plan->index ? path_parent(wishes->arena, plan->index) : "/";
	struct resolved resolved;
	list_add(&plan->notes, wishes->arena,
		 arena_text(wishes->arena,
			    "'%s' has more than %d entries and is read-only; 'git worktree prune' "
			    "outside of a box forgets those that are gone",
			    directory, ENTRIES_MAX),
		 from);
	TRY(protect_name(wishes, directory, kind, from));
	if (kind != GUARD_WORKTREES || !str_equal(path_parent(wishes->arena, own), directory) ||
	    resolve_path(wishes->resolver, own, &resolved) != 1 || !str_equal(resolved.path, own))
		return 0;
	struct mount bind = { .kind = MOUNT_BIND, .access = ACCESS_WRITE, .from = from };
	bind.source = bind.target = own;
	bind.identity = resolved.identity;
	TRY(wishes_add_wall(wishes, &bind));
	return protect_worktree(wishes, own, from, 0);
}

// Calls `each` for every entry of a directory that is one itself. A directory with more entries
// than can be protected one by one becomes read-only as a whole.
static int each_entry(struct wishes *wishes, const char *directory, enum guarded kind,
		      struct origin from, unsigned depth,
		      int (*each)(struct wishes *wishes, const char *path, struct origin from,
				  unsigned depth))
{
	struct entries entries __attribute__((uninitialized));
	int listed = list_entries(wishes, directory, &entries);
	TRY(listed);
	if (listed > 0) // the user's own: it stays, read-only
		return protect_name(wishes, directory, GUARD_ABSENT, from);
	if (entries.count > ENTRIES_MAX)
		return protect_crowd(wishes, directory, kind, from);
	struct guard *guard = &wishes->plan->guards[wishes->plan->guard_count];
	TRY(protect_guard(wishes, directory, kind));
	for (unsigned i = 0; i < entries.count; i++) {
		const char *path = path_below(wishes->arena, directory, entries.names[i]);
		list_add(&guard->known, wishes->arena, entries.names[i], from);
		if (!entries.directories[i])
			continue;
		if (!protect_has_room(wishes)) {
			// Nothing can come in there: all that will be found is the user's own.
			*guard = wishes->plan->guards[--wishes->plan->guard_count];
			return protect_crowd(wishes, directory, kind, from);
		}
		TRY(each(wishes, path, from, depth));
	}
	return 0;
}

// A submodule's name may hold slashes: what has no HEAD is a directory of more.
static int protect_module(struct wishes *wishes, const char *path, struct origin from,
			  unsigned depth)
{
	if (access(path_below(wishes->arena, path, "HEAD"), F_OK) == 0)
		return protect_directory(wishes, path, NULL, from, depth + 1);
	if (depth >= DEPTH_MAX)
		return protect_name(wishes, path, GUARD_MODULES, from);
	return each_entry(wishes, path, GUARD_MODULES, from, depth + 1, protect_module);
}

static int protect_nested(struct wishes *wishes, const char *directory,
			  const struct names_found *found, struct origin from, unsigned depth)
{
	const char *modules = path_below(wishes->arena, directory, "modules");
	if (depth >= DEPTH_MAX)
		return protect_name(wishes, modules, GUARD_ABSENT, from);
	list_each (item, &found->list)
		if (item->from.line == DT_DIR && !layout_find(item->text))
			TRY(protect_unknown(wishes,
					    path_below(wishes->arena, directory, item->text), from,
					    depth));
	TRY(each_entry(wishes, path_below(wishes->arena, directory, "worktrees"), GUARD_WORKTREES,
		       from, depth, protect_worktree));
	return each_entry(wishes, modules, GUARD_MODULES, from, depth, protect_module);
}

static bool may_be_link(const struct names_found *found, const char *name)
{
	list_each (item, &found->list)
		if (str_equal(item->text, name))
			return item->from.line != DT_DIR;
	return found->cut;
}

// Links of the user's, as git-new-workdir and `repo` make them, in place of those without which git
// takes the directory for none.
static void follow_parts(struct wishes *wishes, const char *directory,
			 const struct names_found *found)
{
	static const char *const names[] = { "objects", "refs" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (may_be_link(found, names[i]))
			beyond_part(wishes, path_below(wishes->arena, directory, names[i]));
}

static int protect_directory(struct wishes *wishes, const char *directory, const char *top,
			     struct origin from, unsigned depth)
{
	struct stat status;
	const char *info = path_below(wishes->arena, directory, "info");
	struct names around = wishes->names;
	struct names_found found = { .arena = wishes->arena, .every = true };
	git_parts_read(wishes, directory, &found);
	int result = 0;
	// The user's own, as what a run made was moved away: it is read-only as a whole.
	if (!names_lack(&wishes->names, info) && lstat(info, &status) == 0 &&
	    !S_ISDIR(status.st_mode))
		result = protect_name(wishes, info, GUARD_ABSENT, from);
	if (result == 0)
		result = git_parts_protect(wishes, directory, top, &found, from, LAYOUT_SHARED);
	if (result == 0)
		result = protect_nested(wishes, directory, &found, from, depth);
	follow_parts(wishes, directory, &found);
	wishes->names = around;
	return result;
}

// Of a crowd none is shown: it is read-only, so nothing prunes it.
static int show_worktrees(struct wishes *wishes, const char *common)
{
	struct entries entries __attribute__((uninitialized));
	const char *directory = path_below(wishes->arena, common, "worktrees");
	(void)ATTEMPT(list_entries(wishes, directory, &entries)); // those who protect it report it
	for (unsigned i = 0;
	     i < entries.count && entries.count <= ENTRIES_MAX && protect_has_room(wishes); i++)
		if (entries.directories[i])
			TRY(beyond_show_worktree(
				wishes, common,
				path_below(wishes->arena, directory, entries.names[i])));
	return 0;
}

// Made writable and pinned, so that it cannot be moved away with its walls.
static int add_directory(struct wishes *wishes, const char *path, const struct identity *identity,
			 const char *top, struct origin from)
{
	struct plan *plan = wishes->plan;
	struct mount bind = { .kind = MOUNT_BIND, .access = ACCESS_WRITE, .from = from };
	bind.source = bind.target = path;
	bind.identity = *identity;
	if (!plan->index)
		plan->index = path_below(wishes->arena, path, "index");
	if (!plan->session && plan->project && str_equal(top, plan->project))
		plan->repository = path_parent(wishes->arena, plan->index);
	TRY(show_worktrees(wishes, path));
	if (!plan->session) {
		TRY(wishes_add_wall(wishes, &bind));
		return protect_directory(wishes, path, top, from, 0);
	}
	follow_parts(wishes, path, &unlisted); // nothing to protect before it is applied
	TRY(lasting_mount(wishes, &bind));
	return wishes_add_wall(wishes, &bind);
}

// A git directory elsewhere that does not point back: in the box by a line of the user's.
static int follow_beyond(struct wishes *wishes, const char *file, const struct resolved *directory)
{
	if (!beyond_directory(wishes, file, directory->path))
		return beyond_lacks(wishes, file, "it does not point back here");
	if (!wishes->plan->index && wishes_is_seen(wishes, directory->path))
		wishes->plan->index = path_below(wishes->arena, directory->path, "index");
	return 0;
}

// .git as a file: "gitdir: PATH". A directory inside the project needs no proof; one outside must
// point back, or a project could name anybody's repository.
static int follow_file(struct wishes *wishes, const char *root, const char *file,
		       struct origin from)
{
	struct arena *arena = wishes->arena;
	struct resolved directory, common;
	const char *pointer = beyond_pointer(arena, file, GIT_FILE_PREFIX);
	if (!pointer)
		return beyond_lacks(wishes, file, "it is not a pointer of git's");
	int found = ATTEMPT(
		resolve_path(wishes->resolver, path_join(arena, root, pointer), &directory));
	if (found <= 0 || directory.identity.type != S_IFDIR || path_within(root, directory.path))
		return beyond_lacks(wishes, file, "the directory does not exist");
	if (path_within(directory.path, root))
		return add_directory(wishes, directory.path, &directory.identity, root, from);
	const char *back = beyond_pointer(arena, path_below(arena, directory.path, "gitdir"), "");
	const char *shared =
		beyond_pointer(arena, path_below(arena, directory.path, "commondir"), "");
	common = directory;
	if (back && shared &&
	    ATTEMPT(resolve_path(wishes->resolver, path_join(arena, directory.path, shared),
				 &common)) != 1)
		return beyond_lacks(wishes, file, "its commondir does not exist");
	bool worktree = back && beyond_leads_to(wishes, directory.path, back, file) &&
			str_equal(path_parent(arena, directory.path),
				  path_below(arena, common.path, "worktrees"));
	bool module = !shared && beyond_leads_to(wishes, directory.path,
						 beyond_worktree(wishes, directory.path), root);
	if (!worktree && !module && !shared)
		return follow_beyond(wishes, file, &directory);
	if (!worktree && !module)
		return beyond_lacks(wishes, file, "it does not point back here");
	const char *why = project_refusal(wishes->plan, common.path);
	if (why)
		return beyond_lacks(wishes, file, why);
	wishes->plan->index = path_below(arena, directory.path, "index");
	return add_directory(wishes, common.path, &common.identity, root, from);
}

int repository_protect_top(struct wishes *wishes, const char *root, struct origin from)
{
	struct stat status;
	const char *head = path_below(wishes->arena, root, "HEAD");
	if (!names_lack(&wishes->names, head) && lstat(head, &status) == 0) {
		autoclose int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && git_directory(fd) != GIT_NONE &&
		    protect_stood(wishes->plan, path_below(wishes->arena, root, "config")))
			return protect_directory(wishes, root, NULL, from, 0);
	}
	return protect_guard(wishes, head, GUARD_BARE);
}

// A symlink. What it leads to in the project is protected as under the name .git.
static int follow_link(struct wishes *wishes, const char *root, const char *path,
		       struct origin from)
{
	struct resolved resolved;
	if (ATTEMPT(resolve_path(wishes->resolver, path, &resolved)) != 1 ||
	    resolved.identity.type != S_IFDIR || path_within(root, resolved.path))
		return beyond_lacks(wishes, path, "it is a symlink that leads to no repository");
	if (!path_within(resolved.path, root))
		return follow_beyond(wishes, path, &resolved);
	return wishes->plan->session
		       ? 0
		       : add_directory(wishes, resolved.path, &resolved.identity, root, from);
}

int repository_follow(struct wishes *wishes, const char *root, struct origin from)
{
	struct stat status;
	const char *path = path_below(wishes->arena, root, ".git");
	if (lstat(path, &status) < 0)
		return 0;
	if (S_ISDIR(status.st_mode)) {
		beyond_alternates(wishes,
				  path_below(wishes->arena, path, "objects/info/alternates"));
		follow_parts(wishes, path, &unlisted);
		return show_worktrees(wishes, path);
	}
	if (S_ISLNK(status.st_mode))
		return follow_link(wishes, root, path, from);
	return S_ISREG(status.st_mode) ? follow_file(wishes, root, path, from) : 0;
}

int repository_protect(struct wishes *wishes, const char *root, struct origin from)
{
	struct arena *arena = wishes->arena;
	const char *path = path_below(arena, root, ".git");
	struct stat status;
	list_add(&wishes->tops, wishes->plan->scratch, root, from);
	if (lstat(path, &status) < 0 || !protect_stood(wishes->plan, path))
		return protect_guard(wishes, path, GUARD_REPOSITORY);
	if (S_ISDIR(status.st_mode) && !wishes_is_reached(wishes, path))
		return 0; // another line made it read-only, or something else
	if (S_ISDIR(status.st_mode)) {
		struct identity identity = { status.st_dev, status.st_ino, S_IFDIR };
		return add_directory(wishes, path, &identity, root, from);
	}
	TRY(protect_name(wishes, path, GUARD_REPOSITORY, from));
	if (S_ISREG(status.st_mode))
		return follow_file(wishes, root, path, from);
	return follow_link(wishes, root, path, from);
}
