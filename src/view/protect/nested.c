// Owns the list of a tree's repositories before a run, and their protection.
#include "view/protect/protect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitconfig.h"
#include "git/git.h"
#include "trees/trees.h"
#include "view/paths/wishes.h"

// Repositories beyond NESTED_MAX, and those that boxes made, have no mounts: the check after the
// run compares them with their earlier state. The first search has a time limit, and begins near
// the top.
enum { NESTED_MAX = 64, STARTS_MADE_MAX = 1024, FIRST_NANOSECONDS = 80000000 };
enum { MODULES_MAX = 64, MODULES_DEEP = 3 };
enum nested_kind { NESTED_GIT, NESTED_BARE, NESTED_MADE };
#define ROWS_BYTES ((size_t)384 << 20)

static void note(struct git_walk *walk, int directory, const char *name)
{
	repos_note(walk->owner, directory, name, walk->path + walk->root + 1, REPOS_OWN);
}

struct first {
	struct repos known;
	const struct plan *plan;
};

static bool is_tree(struct git_walk *walk)
{
	return tree_is(((struct first *)walk->owner)->plan, walk->path);
}

// Lists the repositories of a tree where no box has run: all are the user's.
static void look_first(struct wishes *wishes, struct tree *tree, struct repos *ret_known)
{
	struct stat status;
	static struct tracked tracked[] = { { "", SHARE_NONE } };
	static const struct share top = { .tracked = tracked, .count = 1 };
	struct arena *arena = wishes->plan->scratch;
	struct first first = { .known = { .arena = arena, .root = tree->path },
			       .plan = wishes->plan };
	struct git_walk *walk = arena_take(arena, sizeof(*walk));
	*walk = (struct git_walk){ .repository = note,
				   .passes = is_tree,
				   .owner = &first,
				   .arena = arena_new_of(ROWS_BYTES),
				   .share = &top,
				   .start = INT64_MAX,
				   .since = INT64_MAX,
				   .rest = FIRST_NANOSECONDS,
				   .rest_installed = FIRST_NANOSECONDS };
	walk_tree(walk, tree->path);
	arena_free(walk->arena);
	tree->fresh = true;
	first.known.device = stat(tree->path, &status) == 0 ? status.st_dev : 0;
	repos_sort(&first.known);
	repos_begin(&first.known, tree->list);
	*ret_known = first.known;
}

// True if a box could open the directory by chmod(2), as the caller owns it.
static bool can_open(struct wishes *wishes, const char *path)
{
	struct stat status;
	while (lstat(path, &status) < 0)
		path = path_parent(wishes->arena, path);
	return status.st_uid == geteuid();
}

// Guards the HEAD of a directory without one, as a killed 'rm -r' leaves: another 'rm -r' may
// remove it.
static int protect_headless(struct wishes *wishes, const char *path, const char *head)
{
	struct stat status;
	return lstat(path, &status) == 0 ? protect_guard(wishes, head, ACT_BARE) : 0;
}

static bool is_worktree(const char *path)
{
	autoclose int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && git_directory(fd) == GIT_SHARED;
}

static int protect_known(struct wishes *wishes, const struct resolved *known, struct origin from)
{
	return protect_has_room(wishes) ? repository_protect_known(wishes, known, from)
					: protect_name(wishes, known->path, ACT_REPOSITORY, from);
}

// True if a .git file leads out of the tree: its worktree is protected like the project's. A
// repository in the tree is protected itself.
static bool leads_out(struct wishes *wishes, const struct tree *tree, const char *file)
{
	const char *pointer = beyond_pointer(wishes->arena, file, GIT_FILE_PREFIX);
	return pointer &&
	       !path_within(path_clean(wishes->arena,
				       path_join(wishes->arena, path_parent(wishes->arena, file),
						 pointer)),
			    tree->path);
}

static bool is_bare(const struct repos_row *row)
{
	return !str_equal(path_name(row->path), ".git");
}

static enum nested_kind kind_of(const struct repos_row *row)
{
	return row->kind == REPOS_MADE ? NESTED_MADE : is_bare(row) ? NESTED_BARE : NESTED_GIT;
}

// Returns the work tree, or a git directory of another name.
static const char *top_of(struct arena *arena, const struct tree *tree, const struct repos_row *row)
{
	const char *path = path_below(arena, tree->path, row->path);
	return is_bare(row) ? path : path_parent(arena, path);
}

// Protects a listed repository, whose parent is no symlink.
static int protect_git(struct wishes *wishes, const struct tree *tree, const char *path,
		       struct origin from, unsigned *count)
{
	struct resolved resolved;
	const char *own = wishes->plan->index;
	if (ATTEMPT(resolve_path(wishes->resolver, path, &resolved)) != 1)
		return 0;
	TRY(wishes_keep_links(wishes, &resolved, 0, from));
	if (!str_equal(resolved.path, path))
		return 0;
	bool file = resolved.identity.type != S_IFDIR && !leads_out(wishes, tree, path);
	if (file && wishes->plan->tier == TIER_LANDLOCK)
		return 0;
	++*count;
	if (file)
		return protect_name(wishes, path, ACT_REPOSITORY, from);
	TRY(protect_known(wishes, &resolved, from));
	wishes->plan->index = own;
	return 0;
}

static int protect_row(struct wishes *wishes, const struct tree *tree, const struct repos_row *row,
		       unsigned *count)
{
	struct origin from = { .file = "protect", .order = ORDER_PROJECT };
	const char *path = path_below(wishes->arena, tree->path, row->path),
		   *top = top_of(wishes->arena, tree, row),
		   *above = path_parent(wishes->arena, path),
		   *head = path_below(wishes->arena, path, "HEAD");
	struct stat status;
	if (tree_is(wishes->plan, top) || !wishes_is_reached(wishes, top) ||
	    (is_bare(row) && is_worktree(path)))
		return 0;
	int problem = lstat(head, &status) < 0 ? errno : 0;
	if (problem == EACCES)
		return can_open(wishes, head) ? protect_name(wishes, head, ACT_BARE, from) : 0;
	if (problem == ENOENT)
		return protect_headless(wishes, path, head);
	if (*count == NESTED_MAX || !str_equal(resolve_real(wishes->resolver, above), above))
		return 0;
	return protect_git(wishes, tree, path, from, count);
}

static void note_start(struct wishes *wishes, const char *directory, const char *name)
{
	struct plan *plan = wishes->plan;
	struct start start = { .path = path_below(wishes->arena, directory, name) };
	if (ATTEMPT(file_read(AT_FDCWD, start.path, 0, GITCONFIG_BYTES_MAX, wishes->arena,
			      &start.text, &start.length)) <= 0)
		return;
	plan->starts = arena_grow(wishes->arena, plan->starts, plan->start_count, &plan->start_room,
				  sizeof(*plan->starts));
	plan->starts[plan->start_count++] = start;
}

static void note_starts(struct wishes *wishes, const char *path, unsigned depth)
{
	note_start(wishes, path, "config");
	note_start(wishes, path, "config.worktree");
	const char *modules = path_below(wishes->arena, path, "modules");
	autoclose int fd = open(modules, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	entries_some (entry, depth > 0 ? fd : -1, MODULES_MAX)
		note_starts(wishes, path_below(wishes->arena, modules, entry->name), depth - 1);
}

static int protect_rows(struct wishes *wishes, struct tree *tree, const struct repos *known,
			enum nested_kind kind, unsigned *count)
{
	static const struct origin from = { .file = "protect" };
	struct arena *arena = wishes->plan->scratch;
	for (unsigned i = 0; i < known->count; i++) {
		const struct repos_row *row = &known->rows[i];
		unsigned before = *count;
		if (kind_of(row) != kind ||
		    (kind == NESTED_BARE &&
		     place_is_git(wishes->plan, path_below(arena, tree->path, row->path))))
			continue;
		// Also adds a worktree or submodule, whose git directory is protected elsewhere.
		if (kind != NESTED_MADE || i < STARTS_MADE_MAX)
			list_add(&wishes->tops, arena, top_of(arena, tree, row), from);
		if (kind != NESTED_MADE)
			TRY(protect_row(wishes, tree, row, count));
		if (*count > before)
			continue;
		tree->open = true;
		if (kind != NESTED_MADE || wishes->plan->start_count < STARTS_MADE_MAX)
			note_starts(wishes, path_below(wishes->arena, tree->path, row->path),
				    MODULES_DEEP);
	}
	return 0;
}

// Warns of a damaged list: a power failure can empty a file that was just written.
static void tell_damaged(struct plan *plan, const struct tree *tree)
{
	static const char text[] = "the list of repositories in %s was damaged, or of another "
				   "version of sbx, and their present "
				   "state is taken for yours; check the hooks and config of those "
				   "that boxes wrote before you run git there";
	list_add(&plan->warnings, plan->arena, arena_text(plan->arena, text, tree->path),
		 (struct origin){ .file = "protect" });
}

// Protects the user's repositories first, and skips missing ones.
int nested_protect(struct wishes *wishes, struct tree *tree, unsigned *count)
{
	struct repos known;
	int found = repos_read(wishes->plan->scratch, tree->list, tree->path, &known);
	TRY(found);
	if (!found && known.damaged)
		tell_damaged(wishes->plan, tree);
	if (!found)
		look_first(wishes, tree, &known);
	for (enum nested_kind kind = NESTED_GIT; kind <= NESTED_MADE; kind++)
		TRY(protect_rows(wishes, tree, &known, kind, count));
	return 0;
}
