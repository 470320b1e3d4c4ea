// Owns the walk from the home's names along their links.
#include "names/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/git.h"

enum { LINKS_MAX = 40, DIRECTORIES = 128 };

struct home_links_bounds {
	unsigned depth, directories, entries, targets;
};
// The home's links lead to small directories. A project's protected directories may be large.
static const struct home_links_bounds home_bounds = { 3, 8, 512, ~0U },
				      inside_bounds = { 16, 256, 4096, 1024 };

struct home_link_finding {
	struct arena *arena;
	struct list *targets;
	unsigned target_count;
	const struct home_links_bounds *bounds;
	unsigned inside;
	bool cut;
	bool files;
	enum homes_kind kind, kind_inside;
	const char *directories[DIRECTORIES];
};

static void add_target(struct home_link_finding *finding, const char *path, enum homes_kind kind)
{
	finding->cut = finding->cut || finding->target_count == finding->bounds->targets;
	if (finding->target_count == finding->bounds->targets || list_has(finding->targets, path))
		return;
	finding->target_count++;
	list_add(finding->targets, finding->arena, path, homes_origin(kind));
}

struct home_walk {
	char done[PATH_MAX];
	const char *rest;
	unsigned links;
	mode_t type;
	enum homes_kind kind;
};

// Returns 1 after one component of the path, 0 at its end, -1 when it cannot be followed.
static int step(struct home_link_finding *finding, struct home_walk *walk)
{
	struct stat status;
	char text[PATH_MAX];
	walk->rest += strspn(walk->rest, "/");
	size_t length = strcspn(walk->rest, "/"), used = strlen(walk->done);
	if (length == 0)
		return 0;
	if (length == 2 && walk->rest[0] == '.' && walk->rest[1] == '.') {
		str_put(walk->done, sizeof(walk->done), "%s",
			path_parent(finding->arena, used ? walk->done : "/"));
		walk->done[str_equal(walk->done, "/") ? 0 : strlen(walk->done)] = '\0';
	}
	if (walk->rest[0] == '.' && length <= 2 && (length == 1 || walk->rest[1] == '.')) {
		walk->rest += length;
		return 1;
	}
	if (used + length + 2 > sizeof(walk->done))
		return -1;
	walk->done[used] = '/';
	memcpy(walk->done + used + 1, walk->rest, length);
	walk->done[used + length + 1] = '\0';
	walk->rest += length;
	const char **known = &finding->directories[str_hash(walk->done) % DIRECTORIES];
	walk->type = S_IFDIR;
	if (*known && str_equal(*known, walk->done))
		return 1;
	if (lstat(walk->done, &status) < 0)
		return -1;
	walk->type = status.st_mode & S_IFMT;
	if (S_ISDIR(status.st_mode))
		*known = arena_copy(finding->arena, walk->done, strlen(walk->done));
	if (!S_ISLNK(status.st_mode))
		return 1;
	if (walk->links > 0)
		add_target(finding, arena_copy(finding->arena, walk->done, strlen(walk->done)),
			   walk->kind);
	ssize_t size = readlink(walk->done, text, sizeof(text) - 1);
	if (size <= 0 || walk->links++ == LINKS_MAX)
		return -1;
	text[size] = '\0';
	walk->rest = arena_text(finding->arena, "%s/%s", text, walk->rest);
	walk->done[text[0] == '/' ? 0 : used] = '\0';
	walk->type = S_IFDIR;
	return 1;
}

static void list_links(struct home_link_finding *finding, const char *directory, unsigned links,
		       unsigned depth);

static void follow(struct home_link_finding *finding, const char *path, unsigned links,
		   unsigned depth)
{
	struct home_walk walk = { .rest = path,
				  .links = links,
				  .type = S_IFDIR,
				  .kind = depth == 0 ? finding->kind : finding->kind_inside };
	int result;
	do
		result = step(finding, &walk);
	while (result > 0);
	const char *end = path_clean(finding->arena,
				     arena_text(finding->arena, "%s/%s", walk.done, walk.rest));
	if (walk.links > links)
		add_target(finding, end, walk.kind);
	if (result == 0 && S_ISDIR(walk.type) && depth == 0 && finding->kind == HOMES_NAME)
		list_links(finding, end, walk.links, 1);
}

static bool is_worktree(struct home_link_finding *finding, const char *directory)
{
	char text[GIT_POINTER_MAX];
	const char *leads = git_read_pointer(
		AT_FDCWD, path_below(finding->arena, directory, ".git"), GIT_FILE_PREFIX, text);
	return leads && strstr(leads, "/worktrees/");
}

// Follows an entry. Its type may be DT_UNKNOWN: some file systems list none.
static void list_entry(struct home_link_finding *finding, const char *directory,
		       const struct sys_entry *entry, unsigned links, unsigned depth)
{
	struct stat status;
	const char *name = entry->name;
	unsigned char type = entry->type;
	if (str_equal(name, ".") || str_equal(name, ".."))
		return;
	bool inside = finding->kind == HOMES_INSIDE, sample = str_ends(name, ".sample");
	finding->files = finding->files || (type != DT_DIR && !sample);
	if (type == DT_REG && (!inside || sample))
		return;
	const char *path = path_below(finding->arena, directory, name);
	if ((type == DT_UNKNOWN || type == DT_REG) && lstat(path, &status) == 0)
		type = (unsigned char)IFTODT(status.st_mode);
	if (type == DT_REG && inside && status.st_nlink > 1)
		add_target(finding, path, HOMES_INSIDE);
	else if (type == DT_LNK)
		follow(finding, path, links, depth);
	else if (type == DT_DIR && !trusted_is_installed(path) &&
		 (depth == finding->bounds->depth ||
		  finding->inside >= finding->bounds->directories || !is_worktree(finding, path)))
		list_links(finding, path, links, depth + 1);
}

static void list_links(struct home_link_finding *finding, const char *directory, unsigned links,
		       unsigned depth)
{
	unsigned count = 0;
	bool more =
		depth <= finding->bounds->depth && finding->inside++ < finding->bounds->directories;
	finding->cut = finding->cut || !more;
	if (!more)
		return;
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	entries_some (entry, fd, finding->bounds->entries) {
		count++;
		list_entry(finding, directory, entry, links, depth);
	}
	finding->cut = finding->cut || count >= finding->bounds->entries;
}

void homes_led(struct arena *arena, const char *path, struct list *targets)
{
	FORGIVING;
	struct home_link_finding finding = { .arena = arena,
					     .targets = targets,
					     .bounds = &inside_bounds,
					     .kind = HOMES_NAME,
					     .kind_inside = HOMES_INSIDE };
	follow(&finding, path, 0, 0);
}

bool homes_inside(struct arena *arena, const char *directory, unsigned *directories,
		  struct list *ret_targets, bool *ret_files)
{
	FORGIVING;
	struct home_link_finding finding = { .arena = arena,
					     .targets = ret_targets,
					     .bounds = &inside_bounds,
					     .inside = *directories,
					     .kind = HOMES_INSIDE,
					     .kind_inside = HOMES_INSIDE };
	*ret_targets = (struct list){ 0 };
	list_links(&finding, directory, 0, 1);
	*directories = finding.inside;
	*ret_files = finding.files || finding.cut;
	return !finding.cut;
}

void homes_follow(struct arena *arena, const struct homes *homes, struct list *ret_targets)
{
	FORGIVING;
	struct home_link_finding finding = { .arena = arena,
					     .targets = ret_targets,
					     .bounds = &home_bounds };
	*ret_targets = (struct list){ 0 };
	list_each (item, &homes->names) {
		if (homes->lacks && homes->lacks(homes->with, item->text))
			continue;
		finding.inside = 0;
		finding.kind = (enum homes_kind)item->from.line;
		finding.kind_inside =
			homes_is_of_path(item->text, homes) ? HOMES_PROGRAM : HOMES_INSIDE;
		follow(&finding, item->text, 0, 0);
	}
}
