// Owns the merging of frozen layers. Their files never change, so that the new layer links them.
#include "session/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum { DEPTH_MAX = 256, SMALL_MAX = 4000, LARGE_MAX = 8 };
#define ARENA_BYTES ((size_t)16 << 30)

static int merge(struct arena *arena, const struct merged *from, int to, int depth);

// The mark of a directory that began as the host's, in any of the layers.
static bool was_host(const struct merged *below)
{
	for (unsigned i = 0; i < below->count; i++)
		if (fgetxattr(below->fds[i], ORIGIN_XATTR, NULL, 0) >= 0)
			return true;
	return false;
}

static int merge_directory(struct arena *arena, const struct merged *from,
			   const struct entry *entry, int to, int depth)
{
	struct merged below;
	if (mkdirat(to, entry->name, 0700) < 0)
		return fail(errno, "make a directory of a layer");
	autoclose int made =
		openat(to, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (made < 0)
		return fail(errno, "open a directory of a layer");
	TRY(merged_below(from, entry->name, &below));
	int result = merge(arena, &below, made, depth + 1);
	if (result == 0)
		result = copy_attributes(below.fds[0], made);
	if (result == 0 && was_host(&below) && fsetxattr(made, ORIGIN_XATTR, "", 0, 0) < 0)
		result = fail(errno, "mark a directory of a layer");
	if (result == 0 && below.opaque && fsetxattr(made, OPAQUE_XATTR, "y", 1, 0) < 0)
		result = fail(errno, "mark a directory of a layer");
	merged_close(&below);
	TRY(result);
	return copy_finish(to, entry->name, &entry->status);
}

static int merge(struct arena *arena, const struct merged *from, int to, int depth)
{
	struct entry *entries;
	int count = merged_list(arena, from, &entries);
	TRY(count);
	if (depth > DEPTH_MAX)
		return fail(ELOOP, "more than %d directories deep", DEPTH_MAX);
	for (int i = 0; i < count; i++) {
		const struct entry *entry = &entries[i];
		if (S_ISDIR(entry->status.st_mode))
			TRY(merge_directory(arena, from, entry, to, depth));
		else if (linkat(from->fds[entry->from], entry->name, to, entry->name, 0) < 0)
			return fail(errno, "link a file of a layer");
	}
	return 0;
}

// Entries of a layer, counted up to SMALL_MAX + 1.
static unsigned count_entries(struct arena *arena, int directory, unsigned count, int depth)
{
	char **names;
	struct stat status;
	int all = depth > DEPTH_MAX ? 0 : names_in(arena, directory, &names);
	for (int i = 0; i < all && count <= SMALL_MAX; i++) {
		count++;
		if (fstatat(directory, names[i], &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISDIR(status.st_mode))
			continue;
		autoclose int fd = openat(directory, names[i],
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			count = count_entries(arena, fd, count, depth + 1);
	}
	return count;
}

static bool is_small(const struct store *store, const struct session *session, unsigned layer)
{
	FORGIVING;
	struct arena *arena = arena_new();
	autoclose int fd = openat(store->layers, session->layers[layer].id,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool small = fd >= 0 && count_entries(arena, fd, 0, 0) <= SMALL_MAX;
	arena_free(arena);
	return small;
}

// One root of the layers `from` and below, as far as `count` of the chain, into the layer `to`.
static int flatten_root(struct store *store, const struct session *session, unsigned from,
			unsigned count, unsigned root, unsigned to)
{
	char place[PLACE_MAX];
	struct merged merged;
	struct arena *arena = arena_new_of(ARENA_BYTES);
	place_of_root(place, session->layers[to].id, session->roots[root].own, root);
	autoclose int directory =
		openat(store->layers, place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int result = directory < 0 ? fail(errno, "open a layer")
				   : merged_open(store, session, from, count, root, &merged);
	if (result == 0) {
		result = merge(arena, &merged, directory, 0);
		merged_close(&merged);
	}
	arena_free(arena);
	return result;
}

int flatten_chain(struct store *store, struct session *session, unsigned *frozen)
{
	unsigned chain[CHAIN_MAX], top = session->top, merged = 0;
	unsigned count = session_chain(session, *frozen, chain, CHAIN_MAX);
	while (merged < count && is_small(store, session, chain[merged]))
		merged++;
	// Large ones alone must not pile up either.
	if (count - merged >= LARGE_MAX || merged < 2)
		merged = count;
	int parent = session->layers[chain[merged - 1]].parent;
	TRY(store_add_layer(store, session, parent));
	unsigned flat = session->top;
	session->top = top;
	for (unsigned root = 0; root < session->root_count; root++)
		TRY(flatten_root(store, session, *frozen, merged, root, flat));
	*frozen = flat;
	return 0;
}
