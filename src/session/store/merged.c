// Owns the reading of merged layers, as overlayfs merges them
// (Documentation/filesystems/overlayfs.rst): a whiteout, a file or an opaque directory hides all
// layers below.
#include "session/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum { DEPTH_MAX = 256, SMALL_MAX = 4000, LARGE_MAX = 8 };
#define ARENA_BYTES ((size_t)16 << 30)

bool is_whiteout(const struct stat *status)
{
	return S_ISCHR(status->st_mode) && status->st_rdev == 0;
}

static bool is_opaque(int fd)
{
	char value;
	return fgetxattr(fd, OPAQUE_XATTR, &value, 1) == 1 && value == 'y';
}

static bool push(struct merged *merged, int fd, unsigned layer)
{
	merged->fds[merged->count] = fd;
	merged->layers[merged->count++] = layer;
	merged->opaque = is_opaque(fd);
	return !merged->opaque;
}

int merged_open(const struct held *held, unsigned top, unsigned most, unsigned root,
		struct merged *ret_merged)
{
	const struct store *store = held->store;
	const struct session *session = &held->session;
	unsigned chain[CHAIN_MAX];
	char place[PLACE_MAX];
	struct merged merged = { .count = 0 };
	unsigned count = session_chain(session, top, chain, most < CHAIN_MAX ? most : CHAIN_MAX);
	for (unsigned i = 0; i < count; i++) {
		const char *id = session->layers[chain[i]].id;
		place_of_root(place, id, session->roots[root].own, root);
		int fd = fd_directory(store->layers, place);
		if (fd < 0 && errno == ENOENT && faccessat(store->layers, id, F_OK, 0) == 0)
			continue;
		if (fd < 0) {
			merged_close(&merged);
			return fail(errno, "layer '%s/%s'", store->layers_path, place);
		}
		if (!push(&merged, fd, chain[i]))
			break;
	}
	*ret_merged = merged;
	return 0;
}

int merged_below(const struct merged *merged, const char *name, struct merged *ret_below)
{
	struct merged below = { .count = 0 };
	struct stat status;
	for (unsigned i = 0; i < merged->count; i++) {
		bool there = fstatat(merged->fds[i], name, &status, AT_SYMLINK_NOFOLLOW) == 0;
		if (!there && errno == ENOENT)
			continue;
		below.opaque = there && !S_ISDIR(status.st_mode);
		if (below.opaque)
			break;
		int fd = there ? fd_directory(merged->fds[i], name) : -1;
		if (fd < 0) {
			merged_close(&below);
			return fail(errno, "'%s' in a layer", str_shown(name));
		}
		if (!push(&below, fd, merged->layers[i]))
			break;
	}
	below.opaque = below.opaque || merged->opaque;
	*ret_below = below;
	return 0;
}

void merged_close(struct merged *merged)
{
	while (merged->count > 0)
		fd_close(&merged->fds[--merged->count]);
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = strcmp(a->name, b->name);
	return order ? order : a->from < b->from ? -1 : a->from > b->from;
}

int merged_list(struct arena *arena, const struct merged *merged, struct entry **ret_entries)
{
	char **names[CHAIN_MAX + 1];
	int counts[CHAIN_MAX + 1], all = 0, kept = 0;
	for (unsigned i = 0; i < merged->count; i++) {
		TRY(counts[i] = names_in(arena, merged->fds[i], &names[i]));
		all += counts[i];
	}
	struct entry *entries = arena_take(arena, ((size_t)all + 1) * sizeof(*entries));
	all = 0;
	for (unsigned i = 0; i < merged->count; i++)
		for (int j = 0; j < counts[i]; j++)
			entries[all++] = (struct entry){ .name = names[i][j], .from = i };
	qsort(entries, (size_t)all, sizeof(*entries), compare_entries);
	for (int i = 0; i < all; i++) {
		if (kept > 0 && str_equal(entries[kept - 1].name, entries[i].name))
			continue;
		struct entry *entry = &entries[kept++];
		*entry = entries[i];
		if (fstatat(merged->fds[entry->from], entry->name, &entry->status,
			    AT_SYMLINK_NOFOLLOW) < 0)
			return fail(errno, "'%s' in a layer", str_shown(entry->name));
	}
	*ret_entries = entries;
	return kept;
}

// Reads the origin mark in the oldest layer that has the entry: later layers copied the entry from
// there.
bool merged_was_host(const struct merged *merged, const struct entry *entry)
{
	struct stat status;
	unsigned oldest = entry->from;
	for (unsigned i = entry->from + 1; i < merged->count; i++) {
		if (fstatat(merged->fds[i], entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if ((status.st_mode & S_IFMT) != (entry->status.st_mode & S_IFMT))
			return false;
		oldest = i;
	}
	autoclose int fd = openat(merged->fds[oldest], entry->name,
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && fgetxattr(fd, ORIGIN_XATTR, NULL, 0) >= 0;
}

uint64_t size_of_layer(const struct held *held, unsigned layer)
{
	autoclose int fd = fd_directory(held->store->layers, held->session.layers[layer].id);
	return fd < 0 ? 0 : owned_size(fd);
}

uint64_t size_of_session(const struct held *held)
{
	uint64_t bytes = 0;
	for (unsigned i = 0; i < held->session.layer_count && bytes < SIZE_UNKNOWN; i++)
		bytes += size_of_layer(held, i);
	return bytes < SIZE_UNKNOWN ? bytes : SIZE_UNKNOWN;
}

static int merge(struct arena *arena, const struct merged *from, int to, int depth);

static int merge_directory(struct arena *arena, const struct merged *from,
			   const struct entry *entry, int to, int depth)
{
	struct merged below;
	if (mkdirat(to, entry->name, 0700) < 0)
		return fail(errno, "make a directory of a layer");
	autoclose int made = fd_directory(to, entry->name);
	if (made < 0)
		return fail(errno, "open a directory of a layer");
	TRY(merged_below(from, entry->name, &below));
	mode_t mode = 0;
	int result = merge(arena, &below, made, depth + 1);
	if (result == 0)
		result = copy_attributes(below.fds[0], made, &mode) < 0 ? -1 : 0;
	if (result == 0 && merged_was_host(from, entry) &&
	    fsetxattr(made, ORIGIN_XATTR, "", 0, 0) < 0)
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

static unsigned count_entries(int above, const char *name, unsigned count, int depth)
{
	autoclose int fd = fd_directory(above, name);
	entries_each (each, depth > DEPTH_MAX ? -1 : fd) {
		if (count++ > SMALL_MAX)
			break;
		if (each->type == DT_DIR || each->type == DT_UNKNOWN)
			count = count_entries(fd, each->name, count, depth + 1);
	}
	return count;
}

static int flatten_root(const struct held *held, unsigned from, unsigned count, unsigned root,
			unsigned to)
{
	const struct session *session = &held->session;
	char place[PLACE_MAX];
	struct merged merged;
	struct arena *arena = arena_new_of(ARENA_BYTES);
	place_of_root(place, session->layers[to].id, session->roots[root].own, root);
	autoclose int directory = fd_directory(held->store->layers, place);
	int result = directory < 0 ? fail(errno, "open a layer")
				   : merged_open(held, from, count, root, &merged);
	if (result == 0) {
		result = merge(arena, &merged, directory, 0);
		merged_close(&merged);
	}
	arena_free(arena);
	return result;
}

int flatten_chain(struct held *held, unsigned *frozen)
{
	struct store *store = held->store;
	struct session *session = &held->session;
	unsigned chain[CHAIN_MAX], top = session->top, merged = 0;
	unsigned count = session_chain(session, *frozen, chain, CHAIN_MAX);
	while (merged < count &&
	       count_entries(store->layers, session->layers[chain[merged]].id, 0, 0) <= SMALL_MAX)
		merged++;
	if (count - merged >= LARGE_MAX || merged < 2)
		merged = count;
	int parent = session->layers[chain[merged - 1]].parent;
	TRY(store_add_layer(store, session, parent));
	unsigned flat = session->top;
	session->top = top;
	for (unsigned root = 0; root < session->root_count; root++)
		TRY(flatten_root(held, *frozen, merged, root, flat));
	*frozen = flat;
	return 0;
}
