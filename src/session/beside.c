// Owns the names beside.
#include "session/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"

enum { NUMBERS_MOST = 10000, KEPT_OF_NAME = NAME_MAX - 16 };

// The first name that is free: NAME.sbx-old, NAME.sbx-old-2 ...
static int put(int stage, const char *staged, int to, const char *name, char ret_name[NAME_MAX + 1])
{
	for (int number = 1; number < NUMBERS_MOST; number++) {
		int length = snprintf(ret_name, NAME_MAX + 1, "%.*s.sbx-old", KEPT_OF_NAME, name);
		if (number > 1)
			snprintf(ret_name + length, (size_t)(NAME_MAX + 1 - length), "-%d", number);
		if (fd_rename_new(stage, staged, to, ret_name) == 0)
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

static void tell(struct applying *applying, const struct operation *operation, const char *kept)
{
	struct arena *arena = applying->store->arena;
	const char *root = applying->held->session.roots[operation->root].path;
	const char *whole = arena_text(arena, "%s", str_shown(path_below(arena, root, kept)));
	out_text(&applying->told,
		 "sbx: '%s' was changed on the host meanwhile and stays; what the apply found "
		 "there is kept as '%s'\n",
		 str_shown(operation->path), whole);
}

int beside_keep(struct applying *applying, const struct operation *operation)
{
	char staged[16], kept[NAME_MAX + 1];
	const char *name = path_name(operation->path);
	int stage = applying->stages[operation->root], root = applying->hosts[operation->root];
	snprintf(staged, sizeof(staged), "%u", operation->number);
	autoclose int parent = changes_host_below(root, operation->path, &name);
	err_clear();
	if (parent >= 0 && put(stage, staged, parent, name, kept) == 0) {
		const char *above = path_parent(applying->store->arena, operation->path);
		bool top = name == operation->path;
		tell(applying, operation,
		     top ? kept : path_below(applying->store->arena, above, kept));
		return 0;
	}
	if (put(stage, staged, root, name, kept) < 0)
		return -1;
	tell(applying, operation, kept);
	return 0;
}
