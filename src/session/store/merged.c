// Owns the reading of layers, as overlayfs lays them on each other (Documentation/filesystems/
// overlayfs.rst): a whiteout or a file hides what is below, as does an opaque directory.
#include "session/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

bool is_whiteout(const struct stat *status)
{
	return S_ISCHR(status->st_mode) && status->st_rdev == 0;
}

static bool is_opaque(int fd)
{
	char value;
	return fgetxattr(fd, OPAQUE_XATTR, &value, 1) == 1 && value == 'y';
}

// Adds a directory of one more layer: whether the next one below is still seen.
static bool push(struct merged *merged, int fd, unsigned layer)
{
	merged->fds[merged->count] = fd;
	merged->layers[merged->count++] = layer;
	merged->opaque = is_opaque(fd);
	return !merged->opaque;
}

int merged_open(const struct store *store, const struct session *session, unsigned top,
		unsigned most, unsigned root, struct merged *ret_merged)
{
	unsigned chain[CHAIN_MAX];
	char place[PLACE_MAX];
	struct merged merged = { .count = 0 };
	unsigned count = session_chain(session, top, chain, most < CHAIN_MAX ? most : CHAIN_MAX);
	for (unsigned i = 0; i < count; i++) {
		const char *id = session->layers[chain[i]].id;
		place_of_root(place, id, session->roots[root].own, root);
		int fd = openat(store->layers, place, DIRECTORY_FLAGS);
		if (fd < 0 && errno == ENOENT && faccessat(store->layers, id, F_OK, 0) == 0)
			continue; // older than the root
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
		if (fstatat(merged->fds[i], name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
			if (errno == ENOENT)
				continue;
			merged_close(&below);
			return fail(errno, "'%s' in a layer", str_shown(name));
		}
		if (!S_ISDIR(status.st_mode)) {
			below.opaque = true;
			break;
		}
		int fd = openat(merged->fds[i], name, DIRECTORY_FLAGS);
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

void place_of_root(char text[PLACE_MAX], const char *id, bool own, unsigned root)
{
	snprintf(text, PLACE_MAX, own ? "%s/" PLACE_OWN "/%u" : "%s/%u", id, root);
}

void place_of_work(char text[PLACE_MAX], const char *id, bool own, unsigned root)
{
	if (own)
		snprintf(text, PLACE_MAX, "%s/w" PLACE_OWN, id);
	else
		snprintf(text, PLACE_MAX, "%s/w%u", id, root);
}

uint64_t size_of_layer(const struct store *store, const struct session *session, unsigned layer)
{
	autoclose int fd = openat(store->layers, session->layers[layer].id,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? 0 : owned_size(fd);
}

uint64_t size_of_session(const struct store *store, const struct session *session)
{
	uint64_t bytes = 0;
	for (unsigned i = 0; i < session->layer_count && bytes < SIZE_UNKNOWN;
	     i++) // four unknown ones would be 0 again
		bytes += size_of_layer(store, session, i);
	return bytes < SIZE_UNKNOWN ? bytes : SIZE_UNKNOWN;
}
