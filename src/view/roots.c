// Owns the list of certificates that the box sees.
#include "view/roots.h"

#include "base/err.h"
#include "plan.h"
#include "view/paths/resolve.h"
#include "view/paths/wishes.h"

int roots_plan(struct wishes *wishes)
{
	const struct plan *plan = wishes->plan;
	struct resolved resolved;
	struct mount roots = { .kind = MOUNT_TEXT,
			       .access = ACCESS_READ,
			       .from = { .file = "secret", .order = ORDER_FLAGS } };
	if (!plan->roots_path)
		return 0;
	int found = resolve_path(wishes->resolver, plan->roots_path, &resolved);
	TRY(found);
	if (!found)
		return fail(0, "'%s' is not there any more", plan->roots_path);
	roots.target = resolved.path;
	roots.identity = resolved.identity;
	roots.source = plan->trusted ? plan->trusted : plan->roots;
	return wishes_add(wishes, &roots, false);
}
