// Owns the rules of sudo that a session as root has.
#include "view/sudo.h"

#include <sys/stat.h>

#include "plan.h"
#include "view/paths/resolve.h"
#include "view/paths/wishes.h"

int sudo_plan(struct wishes *wishes)
{
	struct resolved resolved;
	struct mount rules = { .kind = MOUNT_TEXT,
			       .access = ACCESS_READ,
			       .mode = 0440, // sudo takes no other
			       .source = "root ALL=(ALL:ALL) NOPASSWD: ALL\n",
			       .from = { .file = "as-root", .order = ORDER_FLAGS } };
	if (!wishes->plan->as_root)
		return 0;
	int found = resolve_path(wishes->resolver, "/etc/sudoers", &resolved);
	if (found <= 0 || resolved.identity.type != S_IFREG)
		return found < 0 ? -1 : 0;
	rules.target = resolved.path;
	rules.identity = resolved.identity;
	return wishes_add_wall(wishes, &rules);
}
