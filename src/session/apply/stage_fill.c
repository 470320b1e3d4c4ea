// Owns the filling of an apply's stage: copies of all that it will put, and what they are.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "session/apply/apply.h"
#include "session/compare/changes.h"
#include "session/store/store.h"

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

// The staged place of a change: "7" or "7/below/it", its directory opened and made if need be.
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
		int next = openat(at, part, DIRECTORY_FLAGS);
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
	return arena_text(applying->store->arena, "%u%s", operation->number, rest);
}

// Names of one file in the session are names of one file on the host.
static bool link_again(struct applying *applying, struct stage_links *links,
		       const struct change *change, const char *place)
{
	const char *name;
	struct staged_link *link = stage_link_of(links, change);
	if (link && !link->place)
		link->place = place;
	if (!link || link->place == place)
		return false;
	autoclose int directory = open_place(applying->stages[change->root], place, &name);
	return directory >= 0 &&
	       linkat(applying->stages[change->root], link->place, directory, name, 0) == 0;
}

// The directory of the layer that holds a change; many in a row have the same.
static int enter_layer(struct applying *applying, const struct change *change,
		       const char **ret_name)
{
	struct parent *parent = &applying->source;
	*ret_name = path_name(change->path);
	if (parent_is(parent, change->root, change->path) && parent->layer == change->layer)
		return parent->fd;
	parent_set(parent, change->root, change->path);
	parent->layer = change->layer;
	return parent->fd =
		       sides_parent(applying->store, &applying->held->session, change, ret_name);
}

// An index of git's as it may be applied, with its time.
static int put_text(const struct change *change, int to, const char *name)
{
	struct timespec times[2] = { change->is.st_atim, change->is.st_mtim };
	autoclose int fd = openat(to, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fd_write_all(fd, change->text, change->length) < 0 || futimens(fd, times) < 0)
		return fail(errno, "write '%s'", str_shown(change->path));
	return 0;
}

static int put(struct applying *applying, struct stage_links *links, const struct change *change,
	       const char *place)
{
	const char *source, *name;
	if (change->refused)
		return fail(0, "'%s' %s; nothing was changed", str_shown(change->path),
			    str_shown(change->refused));
	if (stage_is_linked(change) && ATTEMPT(link_again(applying, links, change, place)))
		return 0;
	int from = enter_layer(applying, change, &source);
	TRY(from);
	bool top = !strchr(place, '/');
	autoclose int below = top ? -1 : open_place(applying->stages[change->root], place, &name);
	int to = top ? applying->stages[change->root] : below;
	TRY(to);
	name = path_name(place);
	if (S_ISDIR(change->is.st_mode) && faccessat(to, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0; // made for what is below it
	int kind = copy_one(from, source, &change->is, to, name);
	TRY(kind);
	applying->special += kind == COPIED_NOT;
	if (change->text)
		TRY(put_text(change, to, name));
	bool own = kind == COPIED_NO_ACL && !S_ISREG(change->was.st_mode);
	if (own)
		TRY(apply_rights_copy(applying, from, source, to, name));
	else if (kind != COPIED_NOT && !S_ISDIR(change->is.st_mode))
		TRY(apply_rights(applying, change, to, name));
	return kind;
}

static int finish(struct applying *applying, const struct change *change, const char *place)
{
	const char *source, *name = place;
	int to = applying->stages[change->root];
	if (faccessat(to, place, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return 0; // nothing of it was selected
	autoclose int from =
		sides_parent(applying->store, &applying->held->session, change, &source);
	TRY(from);
	autoclose int layer = openat(from, source, DIRECTORY_FLAGS);
	autoclose int made = openat(to, name, DIRECTORY_FLAGS);
	if (layer < 0 || made < 0)
		return fail(errno, "a directory of the stage");
	int acl = copy_attributes(layer, made);
	TRY(acl);
	struct stat status = change->is;
	// The top of what is staged is renamed into another directory, for which it must be
	// writable.
	status.st_mode |= strchr(place, '/') ? 0 : S_IWUSR;
	TRY(copy_finish(to, name, &status));
	return acl ? rights_copy(applying->store, made, layer)
		   : apply_rights(applying, change, to, name);
}

// The end of what lies in the change at `first`, by its path.
static unsigned end_of(const struct changes *changes, unsigned first)
{
	const struct change *change = &changes->list[first];
	unsigned at = first + 1;
	while (at < changes->count && changes->list[at].root == change->root &&
	       path_within(changes->list[at].path, change->path))
		at++;
	return at;
}

// `place` NULL: a directory that gets a mode, or nothing.
static void add_leaf(struct applying *applying, const struct change *change, const char *place)
{
	struct leaf leaf = { .root = change->root, .path = change->path, .place = place };
	if (!place && change->kind != CHANGE_REMOVED)
		leaf.is = thing_of(&change->was);
	applying->journal.leaves[applying->journal.leaf_count++] = leaf;
}

// The host's thing as it was looked at, with all that lies in it.
static struct thing thing_was(const struct applying *applying, unsigned first, unsigned end)
{
	const struct change *list = applying->changes.list, *change = &list[first];
	struct thing thing = thing_of(&change->was);
	size_t length = strlen(change->path) + 1;
	if (!S_ISDIR(change->was.st_mode) || S_ISDIR(change->is.st_mode))
		return thing;
	for (unsigned i = first + 1; i < end; i++)
		if (list[i].kind == CHANGE_REMOVED)
			thing.tree = thing_sum(thing.tree,
					       thing_part(list[i].path + length, &list[i].was));
	return thing;
}

// Returns 1 when something of it was put, 0 when nothing of it is selected or can be copied.
static int put_tree(struct applying *applying, struct stage_links *links,
		    const struct operation *operation, unsigned first, unsigned end)
{
	struct change *list = applying->changes.list;
	int any = 0;
	for (unsigned i = first; i < end; i++) {
		if (!applying->selected[i] || list[i].kind == CHANGE_REMOVED)
			continue;
		const char *place = place_of(applying, operation, &list[i]);
		TRY(parent_host(&applying->parent, applying, operation->root, operation->path));
		narrow_mode(applying, &list[i]);
		int kind = put(applying, links, &list[i], place);
		TRY(kind);
		any = any || kind != COPIED_NOT;
		if (kind != COPIED_NOT)
			add_leaf(applying, &list[i], place);
	}
	for (unsigned i = end; any && i-- > first;)
		if (S_ISDIR(list[i].is.st_mode))
			TRY(finish(applying, &list[i], place_of(applying, operation, &list[i])));
	return any;
}

static int add_operation(struct applying *applying, struct operation *operation)
{
	applying->journal.operations[applying->journal.operation_count++] = *operation;
	return 0;
}

// When all is staged: a later link changes what was staged before.
static int identify(struct applying *applying)
{
	struct journal *journal = &applying->journal;
	struct stat status;
	char name[16];
	for (unsigned i = 0; i < journal->operation_count; i++) {
		struct operation *operation = &journal->operations[i];
		bool puts =
			operation->kind == OPERATION_ADD || operation->kind == OPERATION_REPLACE;
		bool finishes = operation->kind == OPERATION_MODE && !operation->was.inode;
		snprintf(name, sizeof(name), "%u", operation->number);
		if ((puts || finishes) &&
		    thing_look(applying->stages[operation->root], name,
			       finishes ? &operation->was : &operation->staged) < 0)
			return fail(errno, "read the stage");
		if (finishes) {
			operation->old_mode = operation->was.mode & 07777;
			operation->mode = operation->old_mode & ~(mode_t)S_IWUSR;
		}
	}
	for (unsigned i = 0; i < journal->leaf_count; i++) {
		struct leaf *leaf = &journal->leaves[i];
		if (!leaf->place)
			continue;
		if (fstatat(applying->stages[leaf->root], leaf->place, &status,
			    AT_SYMLINK_NOFOLLOW) < 0)
			return fail(errno, "read the stage");
		leaf->is = thing_of(&status);
	}
	return 0;
}

// A directory that nobody may write cannot be moved: it gets its mode when it is there, or loses
// it before it goes. order_modes() puts these in front and behind.
static int add_modes(struct applying *applying, const struct operation *of,
		     const struct change *change)
{
	struct operation mode = *of;
	mode.kind = OPERATION_MODE;
	if (S_ISDIR(change->was.st_mode) && !(change->was.st_mode & S_IWUSR)) {
		mode.mode = (change->was.st_mode | S_IWUSR) & 07777;
		TRY(add_operation(applying, &mode));
	}
	if (of->kind == OPERATION_REMOVE || !S_ISDIR(change->is.st_mode) ||
	    (change->is.st_mode & S_IWUSR))
		return 0;
	mode.was = (struct thing){ .inode = 0 }; // the staged one, see identify()
	mode.mode = change->is.st_mode & 01777;
	mode.old_mode = mode.mode | S_IWUSR;
	return add_operation(applying, &mode);
}

static int stage_removed(struct applying *applying, struct operation *operation, unsigned index,
			 unsigned end)
{
	const struct change *list = applying->changes.list;
	operation->kind = OPERATION_REMOVE;
	TRY(add_operation(applying, operation));
	for (unsigned i = index; i < end; i++)
		add_leaf(applying, &list[i], NULL);
	return add_modes(applying, operation, &list[index]);
}

static int stage_one(struct applying *applying, struct stage_links *links, unsigned index,
		     unsigned *next)
{
	struct change *change = &applying->changes.list[index];
	struct operation operation = { .root = change->root,
				       .path = change->path,
				       .number = index };
	unsigned end = end_of(&applying->changes, index);
	operation.parent = change->parent & INT64_MAX;
	operation.was = thing_was(applying, index, end);
	if (change->kind == CHANGE_MODE && applying->selected[index])
		narrow_mode(applying, change);
	// A directory of the host stays as its group's, whatever the box sees of that.
	operation.mode = (change->is.st_mode & 01777) | (change->was.st_mode & S_ISGID);
	operation.old_mode = change->was.st_mode & 07777;
	*next = index + 1;
	switch (change->kind) {
	case CHANGE_REMOVED:
		if (!applying->selected[index])
			return 0;
		*next = end;
		return stage_removed(applying, &operation, index, end);
	case CHANGE_MODE:
		if (!applying->selected[index])
			return 0;
		operation.kind = OPERATION_MODE;
		if (S_ISDIR(change->is.st_mode)) {
			add_leaf(applying, change, NULL);
			return add_operation(applying, &operation);
		}
		break; // a file is replaced, so that it is the old or the new one
	case CHANGE_ADDED:
	case CHANGE_TYPE:
	case CHANGE_EDITED:
		break;
	}
	*next = end;
	int any = put_tree(applying, links, &operation, index, *next);
	if (any <= 0)
		return any;
	operation.kind = change->kind == CHANGE_ADDED ? OPERATION_ADD : OPERATION_REPLACE;
	applying->links += S_ISREG(change->was.st_mode) && change->was.st_nlink > 1;
	TRY(add_operation(applying, &operation));
	return add_modes(applying, &operation, change);
}

// A directory becomes writable before something is put in it, and read-only afterwards.
static void order_modes(struct applying *applying)
{
	struct journal *journal = &applying->journal;
	struct operation *ordered = arena_take(applying->store->arena,
					       (journal->operation_count + 1) * sizeof(*ordered));
	unsigned count = 0;
	for (int turn = 0; turn < 3; turn++)
		for (unsigned i = 0; i < journal->operation_count; i++) {
			const struct operation *operation = &journal->operations[i];
			int wanted = operation->kind != OPERATION_MODE ? 1
				     : operation->mode & S_IWUSR       ? 0
								       : 2;
			if (wanted == turn)
				ordered[count++] = *operation;
		}
	journal->operations = ordered;
}

int stage_fill(struct applying *applying)
{
	struct arena *arena = applying->store->arena;
	struct stage_links links = stage_links_of(applying);
	size_t most = 3 * (size_t)applying->changes.count + 1;
	applying->journal.operations =
		arena_take(arena, most * sizeof(*applying->journal.operations));
	applying->journal.leaves = arena_take(arena, most * sizeof(*applying->journal.leaves));
	for (unsigned i = 0; i < applying->changes.count;)
		TRY(stage_one(applying, &links, i, &i));
	order_modes(applying);
	return identify(applying);
}
