// Owns the filling of an apply's stage with copies of all files that it will write.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "session/apply/apply.h"
#include "session/compare/changes.h"
#include "session/store/store.h"

enum { FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };

struct staged_link {
	const struct change *change;
	const char *place;
};

struct filling {
	struct applying *applying;
	struct staged_link *links;
	size_t link_count;
	int parent; // descriptor of the host's directory; -1: not open yet
	enum rights_given gives;
};

// Makes and opens the directory above a path in the stage, such as "7" or "7/below/it".
static int open_place(int stage, const char *place, const char **ret_name)
{
	char part[PATH_MAX];
	const char *name = path_name(place);
	autoclose int at = fcntl(stage, F_DUPFD_CLOEXEC, 0);
	for (const char *begin = place; begin < name;) {
		size_t length = strcspn(begin, "/");
		str_put(part, sizeof(part), "%.*s", (int)length, begin);
		if (mkdirat(at, part, 0700) < 0 && errno != EEXIST)
			return fail(errno, "make a directory of the stage");
		int next = fd_directory(at, part);
		if (next < 0)
			return fail(errno, "open a directory of the stage");
		fd_close(&at);
		at = next;
		begin += length + 1;
	}
	*ret_name = name;
	return take(&at);
}

static const char *place_of(struct applying *applying, const struct operation *operation,
			    const struct change *change)
{
	const char *rest = change->path + strlen(operation->path);
	return arena_text(applying->arena, "%u%s", operation->number, rest);
}

static int compare_links(const void *left, const void *right)
{
	const struct change *a = ((const struct staged_link *)left)->change,
			    *b = ((const struct staged_link *)right)->change;
	if (a->is.st_ino != b->is.st_ino)
		return a->is.st_ino < b->is.st_ino ? -1 : 1;
	return a->layer != b->layer ? a->layer - b->layer : (int)a->root - (int)b->root;
}

static void find_links(struct filling *filling)
{
	const struct changes *changes = &filling->applying->changes;
	struct staged_link *links = filling->links =
		arena_take(filling->applying->arena, (changes->count + 1) * sizeof(*links));
	size_t all = 0;
	for (unsigned i = 0; i < changes->count; i++) {
		const struct change *change = &changes->list[i];
		if (change->selected && S_ISREG(change->is.st_mode) && change->is.st_nlink > 1 &&
		    !change->text)
			links[all++].change = change;
	}
	qsort(links, all, sizeof(*links), compare_links);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || compare_links(&links[i], &links[filling->link_count - 1]) != 0)
			links[filling->link_count++] = links[i];
}

static bool link_again(struct filling *filling, const struct change *change, const char *place)
{
	const char *name;
	struct applying *applying = filling->applying;
	const struct staged_link wanted = { change, NULL };
	struct staged_link *link = bsearch(&wanted, filling->links, filling->link_count,
					   sizeof(wanted), compare_links);
	if (link && !link->place)
		link->place = place;
	if (!link || link->place == place)
		return false;
	autoclose int directory = open_place(applying->stages[change->root], place, &name);
	return directory >= 0 &&
	       linkat(applying->stages[change->root], link->place, directory, name, 0) == 0;
}

static int put_text(const struct change *change, int to, const char *name)
{
	struct timespec times[2] = { change->is.st_atim, change->is.st_mtim };
	autoclose int fd = openat(to, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fd_write_all(fd, change->text, change->length) < 0 || futimens(fd, times) < 0)
		return fail(errno, "write '%s'", str_shown(change->path));
	return 0;
}

// Sets rights like those of the first that exists: the replaced host file, `layer` (a file with an
// ACL, or -1), the directory.
static int give_rights(const struct filling *filling, const struct change *change, int layer,
		       int to, const char *name)
{
	const struct store *store = filling->applying->held->store;
	struct stat status = change->is;
	bool replaces = S_ISREG(change->was.st_mode) && S_ISREG(status.st_mode);
	if (S_ISLNK(status.st_mode) || (layer < 0 && !replaces && !filling->gives))
		return 0;
	autoclose int host =
		replaces ? openat(filling->parent, path_name(change->path), FILE_FLAGS) : -1;
	autoclose int made = openat(to, name, FILE_FLAGS);
	if (made < 0 || (replaces && host < 0) || (layer >= 0 && fstat(layer, &status) < 0))
		return fail(errno, "the rights of '%s'", str_shown(change->path));
	if (replaces)
		return rights_keep(store, made, host, change->is.st_mode);
	return layer < 0 ? rights_inherit(store, made, filling->parent)
			 : rights_keep(store, made, layer, status.st_mode);
}

static int put(struct filling *filling, const struct change *change, const char *place)
{
	struct applying *applying = filling->applying;
	const char *source, *name;
	if (change->refused)
		return fail(0, "'%s' %s; nothing was changed", str_shown(change->path),
			    str_shown(change->refused));
	if (ATTEMPT(link_again(filling, change, place)))
		return 0;
	autoclose int from = sides_parent(applying->held, change, &source);
	TRY(from);
	autoclose int to = open_place(applying->stages[change->root], place, &name);
	TRY(to);
	if (S_ISDIR(change->is.st_mode) && faccessat(to, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0; // the directory is only a parent of changed files
	int kind = copy_one(from, source, &change->is, to, name);
	TRY(kind);
	applying->special += kind == COPIED_NOT;
	if (change->text)
		TRY(put_text(change, to, name));
	autoclose int layer = kind == COPIED_NO_ACL ? openat(from, source, FILE_FLAGS) : -1;
	if (kind != COPIED_NOT && !S_ISDIR(change->is.st_mode))
		TRY(give_rights(filling, change, layer, to, name));
	return kind;
}

static int finish(const struct filling *filling, const struct change *change, const char *place)
{
	struct applying *applying = filling->applying;
	const char *source;
	int to = applying->stages[change->root];
	struct stat status = change->is;
	if (faccessat(to, place, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	autoclose int from = sides_parent(applying->held, change, &source);
	TRY(from);
	autoclose int layer = fd_directory(from, source);
	autoclose int made = fd_directory(to, place);
	if (layer < 0 || made < 0)
		return fail(errno, "a directory of the stage");
	int acl = copy_attributes(layer, made, &status.st_mode);
	TRY(acl);
	// A rename to another directory needs write permission to a moved directory.
	status.st_mode |= strchr(place, '/') ? 0 : S_IWUSR;
	TRY(copy_finish(to, place, &status));
	return give_rights(filling, change, acl ? layer : -1, to, place);
}

// Drops mode bits that the host's file lacks and the umask forbids, and set-ID bits. A default ACL
// replaces the umask.
static void narrow_mode(struct applying *applying, struct change *change, enum rights_given gives)
{
	struct narrowed *narrowed = &applying->narrowed;
	mode_t *mode = &change->is.st_mode, was = change->was.st_mode;
	narrowed->set += S_ISREG(*mode) && (*mode & (S_ISUID | S_ISGID));
	*mode &= S_ISREG(*mode) ? ~(mode_t)(S_ISUID | S_ISGID) : ~(mode_t)0;
	bool same = ((*mode ^ was) & S_IFMT) == 0;
	mode_t more = *mode & narrowed->umask & 077 & ~(same ? was : 0);
	if (!more || (!same && gives == RIGHTS_ACL) || S_ISLNK(*mode) ||
	    change->kind == CHANGE_REMOVED)
		return;
	if (narrowed->count++ == 0) {
		narrowed->first = change;
		narrowed->mode = *mode;
	}
	*mode &= ~more;
}

static unsigned end_of(const struct changes *changes, unsigned first)
{
	const struct change *change = &changes->list[first];
	unsigned at = first + 1;
	while (at < changes->count && changes->list[at].root == change->root &&
	       path_within(changes->list[at].path, change->path))
		at++;
	return at;
}

static void add_operation(struct applying *applying, const struct operation *operation)
{
	applying->journal.operations[applying->journal.operation_count++] = *operation;
}

// Notes the state of a path after the apply. `place` NULL: a directory with a new mode, or a
// removal.
static void add_leaf(struct applying *applying, const struct change *change, const char *place)
{
	struct operation leaf = {
		.kind = OPERATION_LEAF, .root = change->root, .path = change->path, .place = place
	};
	if (!place && change->kind != CHANGE_REMOVED)
		leaf.staged = thing_of(&change->was);
	add_operation(applying, &leaf);
}

static struct thing thing_was(const struct applying *applying, unsigned first, unsigned end)
{
	const struct change *list = applying->changes.list, *change = &list[first];
	struct thing thing = thing_of(&change->was);
	size_t length = strlen(change->path) + 1;
	if (!S_ISDIR(change->was.st_mode) || S_ISDIR(change->is.st_mode))
		return thing;
	for (unsigned i = first + 1; i < end; i++)
		if (list[i].kind == CHANGE_REMOVED)
			thing.tree += thing_part(list[i].path + length, &list[i].was);
	return thing;
}

static int open_parent(struct filling *filling, const struct operation *operation)
{
	const char *name;
	if (filling->parent >= 0)
		return 0;
	TRY(filling->parent = sides_host_below(filling->applying->hosts[operation->root],
					       operation->path, &name));
	filling->gives = rights_given(filling->parent);
	return 0;
}

// Returns 1 when files were copied, 0 when nothing is selected or can be copied.
static int put_tree(struct filling *filling, const struct operation *operation, unsigned first,
		    unsigned end)
{
	struct applying *applying = filling->applying;
	struct change *list = applying->changes.list;
	int any = 0;
	fd_close(&filling->parent);
	for (unsigned i = first; i < end; i++) {
		if (!list[i].selected || list[i].kind == CHANGE_REMOVED)
			continue;
		const char *place = place_of(applying, operation, &list[i]);
		TRY(open_parent(filling, operation));
		narrow_mode(applying, &list[i], filling->gives);
		int kind = put(filling, &list[i], place);
		TRY(kind);
		any = any || kind != COPIED_NOT;
		if (kind != COPIED_NOT)
			add_leaf(applying, &list[i], place);
	}
	for (unsigned i = end; any && i-- > first;)
		if (S_ISDIR(list[i].is.st_mode))
			TRY(finish(filling, &list[i], place_of(applying, operation, &list[i])));
	return any;
}

// A directory that its owner may not write cannot be moved: adds mode changes before and after the
// move.
static void add_modes(struct applying *applying, const struct operation *of,
		      const struct change *change)
{
	struct operation mode = *of;
	mode.kind = OPERATION_MODE;
	if (S_ISDIR(change->was.st_mode) && !(change->was.st_mode & S_IWUSR)) {
		mode.mode = (change->was.st_mode | S_IWUSR) & 07777;
		add_operation(applying, &mode);
	}
	if (of->kind == OPERATION_REMOVE || !S_ISDIR(change->is.st_mode) ||
	    (change->is.st_mode & S_IWUSR))
		return;
	mode.was = (struct thing){ .inode = 0 };
	mode.mode = change->is.st_mode & 01777;
	mode.old_mode = mode.mode | S_IWUSR;
	add_operation(applying, &mode);
}

static void stage_removed(struct applying *applying, struct operation *operation, unsigned index,
			  unsigned end)
{
	const struct change *list = applying->changes.list;
	operation->kind = OPERATION_REMOVE;
	add_operation(applying, operation);
	for (unsigned i = index; i < end; i++)
		add_leaf(applying, &list[i], NULL);
	add_modes(applying, operation, &list[index]);
}

static int stage_one(struct filling *filling, unsigned index, unsigned *next)
{
	struct applying *applying = filling->applying;
	struct change *change = &applying->changes.list[index];
	struct operation operation = { .root = change->root,
				       .path = change->path,
				       .number = index };
	unsigned end = end_of(&applying->changes, index);
	operation.parent = change->parent;
	operation.was = thing_was(applying, index, end);
	if (change->kind == CHANGE_MODE && change->selected)
		narrow_mode(applying, change, RIGHTS_NONE);
	// The host directory's set-group-ID bit stays.
	operation.mode = (change->is.st_mode & 01777) | (change->was.st_mode & S_ISGID);
	operation.old_mode = change->was.st_mode & 07777;
	*next = index + 1;
	bool gone = change->kind == CHANGE_REMOVED, directory = S_ISDIR(change->is.st_mode);
	if (!change->selected && (gone || change->kind == CHANGE_MODE))
		return 0;
	if (change->kind == CHANGE_MODE && directory) {
		operation.kind = OPERATION_MODE;
		add_leaf(applying, change, NULL);
		add_operation(applying, &operation);
		return 0;
	}
	*next = end;
	if (gone) {
		stage_removed(applying, &operation, index, end);
		return 0;
	}
	int any = put_tree(filling, &operation, index, end);
	if (any <= 0)
		return any;
	operation.kind = change->kind == CHANGE_ADDED ? OPERATION_ADD : OPERATION_REPLACE;
	applying->links += S_ISREG(change->was.st_mode) && change->was.st_nlink > 1;
	add_operation(applying, &operation);
	add_modes(applying, &operation, change);
	return 0;
}

int stage_fill(struct applying *applying)
{
	struct arena *arena = applying->arena;
	struct filling filling = { .applying = applying, .parent = -1 };
	size_t most = 4 * (size_t)applying->changes.count + 1;
	applying->journal.operations =
		arena_take(arena, most * sizeof(*applying->journal.operations));
	find_links(&filling);
	for (unsigned i = 0; i < applying->changes.count;)
		TRY(stage_one(&filling, i, &i));
	fd_close(&filling.parent);
	return stage_end(applying);
}
