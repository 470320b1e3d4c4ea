// Owns the merging of frozen layers. Their files never change, so that the new layer links them.
#include "session/flatten.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "session/copy.h"
#include "session/merged.h"

enum { DEPTH_MOST = 256 };

static int merge(struct arena *arena, const struct merged *from, int to, int depth);

static int merge_directory(struct arena *arena, const struct merged *from, const struct entry *entry, int to,
			   int depth)
{
	struct merged below;
	if (mkdirat(to, entry->name, 0700) < 0)
		return fail(errno, "make a directory of a layer");
	autoclose int made = openat(to, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (made < 0)
		return fail(errno, "open a directory of a layer");
	TRY(merged_below(from, entry->name, &below));
	int result = merge(arena, &below, made, depth + 1);
	if (result == 0)
		result = copy_attributes(below.fds[0], made);
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
	if (depth > DEPTH_MOST)
		return fail(ELOOP, "more than %d directories deep", DEPTH_MOST);
	for (int i = 0; i < count; i++) {
		const struct entry *entry = &entries[i];
		if (S_ISDIR(entry->status.st_mode))
			TRY(merge_directory(arena, from, entry, to, depth));
		else if (linkat(from->fds[entry->from], entry->name, to, entry->name, 0) < 0)
			return fail(errno, "link a file of a layer");
	}
	return 0;
}

int flatten_chain(struct store *store, struct session *session, unsigned *frozen)
{
	char name[32];
	unsigned top = session->top;
	TRY(store_add_layer(store, session, -1));
	unsigned flat = session->top;
	session->top = top;
	for (unsigned root = 0; root < session->root_count; root++) {
		struct merged from;
		struct arena *arena = arena_new();
		snprintf(name, sizeof(name), "%s/%u", session->layers[flat].id, root);
		autoclose int to = openat(store->layers, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int result = to < 0 ? fail(errno, "open a layer") : merged_open(store, session, *frozen, root, &from);
		if (result == 0) {
			result = merge(arena, &from, to, 0);
			merged_close(&from);
		}
		arena_free(arena);
		TRY(result);
	}
	*frozen = flat;
	return 0;
}
