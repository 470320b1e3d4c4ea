// Owns the names beside.
#include "session/apply/apply.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "base/base.h"
#include "base/fd.h"
#include "session/compare/changes.h"

enum { NUMBERS_MAX = 10000, KEPT_OF_NAME = NAME_MAX - 16 };

// The first name that is free: NAME.sbx-old, NAME.sbx-old-2 ...
static int put(int stage, const char *staged, int to, const char *name, char ret_name[NAME_MAX + 1])
{
	for (int number = 1; number < NUMBERS_MAX; number++) {
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

static const char *const reasons[] = {
	[BESIDE_BACK] =
		"was changed on the host meanwhile and stays; the version that the apply found",
	[BESIDE_CHANGED] = "was changed on the host while it was replaced; that version",
	[BESIDE_OPEN] = "is open in a program of the host, which may write to it; that version",
};

static void tell(struct applying *applying, const struct operation *operation, enum beside why,
		 const char *kept)
{
	struct arena *arena = applying->store->arena;
	const char *root = applying->held->session.roots[operation->root].path;
	const char *whole = arena_text(arena, "%s", str_shown(path_below(arena, root, kept)));
	out_text(&applying->notes, "sbx: '%s' %s is saved as '%s'\n", str_shown(operation->path),
		 reasons[why], whole);
}

int beside_keep(struct applying *applying, const struct operation *operation, enum beside why)
{
	char staged[16], kept[NAME_MAX + 1];
	const char *name = path_name(operation->path);
	int stage = applying->stages[operation->root], root = applying->hosts[operation->root];
	snprintf(staged, sizeof(staged), "%u", operation->number);
	autoclose int parent = ATTEMPT(sides_host_below(root, operation->path, &name));
	if (parent >= 0 && put(stage, staged, parent, name, kept) == 0) {
		const char *above = path_parent(applying->store->arena, operation->path);
		bool top = name == operation->path;
		tell(applying, operation, why,
		     top ? kept : path_below(applying->store->arena, above, kept));
		return 0;
	}
	if (put(stage, staged, root, name, kept) < 0)
		return -1;
	tell(applying, operation, why, kept);
	return 0;
}
