// Owns the question which directories outside of a project belong to its repository, and how its
// other worktrees are shown.
#include "view/protect/protect.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitconfig.h"
#include "git/git.h"
#include "view/paths/wishes.h"

enum { ALTERNATES_DEPTH = 5 };

const char *beyond_pointer(struct arena *arena, const char *path, const char *prefix)
{
	return git_read_pointer(AT_FDCWD, path, prefix, arena_take(arena, GIT_POINTER_MAX));
}

bool beyond_leads_to(struct wishes *wishes, const char *directory, const char *pointer,
		     const char *wanted)
{
	struct resolved resolved;
	if (!pointer)
		return false;
	int found = ATTEMPT(resolve_path(wishes->resolver,
					 path_join(wishes->arena, directory, pointer), &resolved));
	return found == 1 && str_equal(resolved.path, wanted);
}

const char *beyond_worktree(struct wishes *wishes, const char *directory)
{
	struct rows rows;
	const char *text, *path = path_below(wishes->arena, directory, "config");
	struct identity link;
	size_t length;
	enum apart whose = wishes_whose(wishes, path);
	outer_copy(wishes->arena, path, &link, &path); // for an outer box's link: the file itself
	if (file_read(AT_FDCWD, path, 0, GITCONFIG_BYTES_MAX, wishes->arena, &text, &length) <= 0)
		return NULL;
	return ATTEMPT(gitnamed_read(whose, wishes->arena, text, length, false, &rows)) < 0
		       ? NULL
		       : rows_text(&rows, ROW_WORKTREE);
}

int beyond_lacks(struct wishes *wishes, const char *file, const char *why)
{
	list_add(&wishes->plan->notes, wishes->arena,
		 arena_text(wishes->arena, "the repository that '%s' names is not in the box: %s",
			    file, why),
		 (struct origin){ .file = "protect" });
	return 0;
}

static bool is_named(const struct list *texts, const char *path)
{
	list_each (item, texts)
		if (item->from.order == ORDER_ELSEWHERE && str_equal(item->from.file, path))
			return true;
	return false;
}

static void offer(struct wishes *wishes, const char *file, const char *path)
{
	struct plan *plan = wishes->plan;
	struct list *texts = plan->terse ? &plan->notes : &plan->warnings;
	const char *why = project_refusal(plan, path);
	if (why)
		beyond_lacks(wishes, file, why);
	else if (!strchr(path, '\n') && !is_named(texts, path))
		list_add(texts, wishes->arena,
			 arena_text(wishes->arena,
				    "'%s' leads git to '%s', which is not in the box; to show it: "
				    "--read %s",
				    file, path, quote_word(wishes->arena, path)),
			 (struct origin){ .file = path, .order = ORDER_ELSEWHERE });
}

bool beyond_directory(struct wishes *wishes, const char *file, const char *path)
{
	autoclose int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || git_directory(fd) != GIT_WHOLE)
		return false;
	if (!wishes_is_seen(wishes, path))
		offer(wishes, file, path);
	return true;
}

static bool holds_objects(struct wishes *wishes, const char *path)
{
	return faccessat(AT_FDCWD, path_below(wishes->arena, path, "pack"), F_OK, 0) == 0 ||
	       faccessat(AT_FDCWD, path_below(wishes->arena, path, "info"), F_OK, 0) == 0;
}

static void follow_alternates(struct wishes *wishes, const char *file, unsigned depth);

static void follow_objects(struct wishes *wishes, const char *file, const char *path,
			   unsigned depth)
{
	if (!holds_objects(wishes, path))
		return;
	if (wishes_is_seen(wishes, path))
		follow_alternates(wishes, path_below(wishes->arena, path, "info/alternates"),
				  depth + 1);
	else
		offer(wishes, file, path);
}

static void follow_alternates(struct wishes *wishes, const char *file, unsigned depth)
{
	struct arena *arena = wishes->arena;
	const char *objects = path_parent(arena, path_parent(arena, file));
	struct resolved directory;
	struct rows rows;
	if (depth == ALTERNATES_DEPTH || ATTEMPT(git_ask_alternates(arena, file, &rows)) < 0)
		return;
	rows_each (row, &rows)
		if (ATTEMPT(resolve_path(wishes->resolver, path_join(arena, objects, row->text),
					 &directory)) == 1)
			follow_objects(wishes, file, directory.path, depth);
}

void beyond_alternates(struct wishes *wishes, const char *file)
{
	follow_alternates(wishes, file, 0);
}

void beyond_part(struct wishes *wishes, const char *file)
{
	struct resolved part;
	if (ATTEMPT(resolve_path(wishes->resolver, file, &part)) == 1 &&
	    (wishes_is_seen(wishes, part.path) ||
	     !beyond_directory(wishes, file, path_parent(wishes->arena, part.path))))
		follow_objects(wishes, file, part.path, 0);
}

// Looks up only paths near usual places of worktrees. A box may have written the path: elsewhere a
// lookup could hang on a network file system.
static bool is_near(const struct wishes *wishes, const char *path, const char *common)
{
	const char *around = path_parent(wishes->arena, path_parent(wishes->arena, common));
	const char *const places[] = { wishes->plan->home, wishes->plan->real_home, around, "/tmp",
				       "/var/tmp" };
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!str_equal(places[i], "/") && path_within(path, places[i]))
			return true;
	return false;
}

int beyond_show_worktree(struct wishes *wishes, const char *common, const char *entry)
{
	struct resolved file;
	struct origin from = { .file = "worktrees" };
	struct mount link = { .kind = MOUNT_LINK,
			      .access = ACCESS_READ,
			      .source = "not shown in this box",
			      .from = from };
	const char *pointer =
		beyond_pointer(wishes->arena, path_below(wishes->arena, entry, "gitdir"), "");
	const char *named = pointer ? path_join(wishes->arena, entry, pointer) : NULL;
	int found = named && is_near(wishes, named, common)
			    ? ATTEMPT(resolve_path(wishes->resolver, named, &file))
			    : 0;
	if (found != 1 || file.identity.type != S_IFREG || !str_equal(path_name(file.path), ".git"))
		return 0;
	const char *back = beyond_pointer(wishes->arena, file.path, GIT_FILE_PREFIX);
	if (!beyond_leads_to(wishes, path_parent(wishes->arena, file.path), back, entry))
		return 0;
	link.target = file.path;
	TRY(wishes_add_links(wishes, &file, from));
	return wishes_add(wishes, &link, false);
}
