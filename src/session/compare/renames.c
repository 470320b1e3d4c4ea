// Owns the detection of renamed files by their bytes.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "session/compare/changes.h"
#include "session/store/store.h"

enum { UNEQUAL_MAX = 20000 };

static bool has_gone(const struct change *change)
{
	return change->kind == CHANGE_REMOVED;
}

static off_t size_of(const struct change *change)
{
	return has_gone(change) ? change->was.st_size : change->is.st_size;
}

static int order_of(const struct change *left, const struct change *right)
{
	if (left->root != right->root)
		return left->root < right->root ? -1 : 1;
	return size_of(left) != size_of(right) ? size_of(left) < size_of(right) ? -1 : 1 : 0;
}

static int compare_moved(const void *left, const void *right)
{
	const struct change *a = *(struct change *const *)left, *b = *(struct change *const *)right;
	int order = order_of(a, b);
	order = order != 0 ? order : has_gone(b) - has_gone(a);
	return order != 0 ? order : (a > b) - 1;
}

static bool is_same(const struct held *held, const struct change *added,
		    const struct change *removed)
{
	const char *name, *other;
	autoclose int layer = sides_parent(held, added, &name);
	autoclose int host =
		sides_host_parent(&held->session, removed->root, removed->path, &other);
	return layer >= 0 && host >= 0 && copy_is_same(layer, name, host, other);
}

static void pair(const struct held *held, struct change **list, unsigned count, unsigned *unequal)
{
	unsigned gone = 0;
	while (gone < count && has_gone(list[gone]))
		gone++;
	for (unsigned i = gone; i < count; i++) {
		struct change *added = list[i], *origin = NULL;
		for (unsigned j = 0; !origin && j < gone && *unequal < UNEQUAL_MAX; j++) {
			origin = list[(i + j) % gone];
			if (!is_same(held, added, origin)) {
				origin = NULL;
				++*unequal;
			}
		}
		added->renamed = origin ? origin->path : NULL;
		if (origin && added->guarded && !origin->guarded) {
			origin->guarded = true;
			origin->moved_to = added->path;
		}
	}
}

// A moved file has an origin mark, and leaves a whiteout or a new file at its old name. With more
// marks, the host has removed a file that the session changed: all marked files conflict.
static void find_lost(struct changes *changes)
{
	unsigned marked = 0, left = changes->whiteouts;
	for (unsigned i = 0; i < changes->count; i++) {
		marked += changes->list[i].marked;
		left += changes->list[i].was.st_mode != 0;
	}
	for (unsigned i = 0; marked > left && i < changes->count; i++)
		if (changes->list[i].marked)
			changes->list[i].conflict = true;
}

void renames_find(const struct held *held, struct changes *changes)
{
	FORGIVING;
	unsigned count = 0, unequal = 0;
	struct change **list = arena_take(held->store->arena, (changes->count + 1) * sizeof(*list));
	find_lost(changes);
	for (unsigned i = 0; i < changes->count; i++) {
		struct change *change = &changes->list[i];
		mode_t mode = has_gone(change) ? change->was.st_mode : change->is.st_mode;
		if ((has_gone(change) || change->kind == CHANGE_ADDED) && S_ISREG(mode) &&
		    size_of(change) > 0)
			list[count++] = change;
	}
	qsort(list, count, sizeof(*list), compare_moved);
	for (unsigned first = 0, end; first < count; first = end) {
		for (end = first; end < count && order_of(list[first], list[end]) == 0;)
			end++;
		pair(held, list + first, end - first, &unequal);
	}
}
