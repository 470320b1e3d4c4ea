// Owns the box's table of hosts, and the file of code that `sbx code` runs.
#include "view/own_files.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/str.h"
#include "view/paths/resolve.h"
#include "view/paths/wishes.h"

// The host's table would give names literal addresses; what it says is known to the proxy.
int own_hosts(struct wishes *wishes)
{
	struct resolved resolved;
	struct mount hosts = { .kind = MOUNT_TEXT,
			       .access = ACCESS_READ,
			       .optional = true,
			       .from = { .file = "network", .order = ORDER_FLAGS } };
	int found = resolve_path(wishes->resolver, "/etc/hosts", &resolved);
	if (found < 0)
		return -1;
	const char *name = wishes->plan->profile->hostname;
	hosts.target = found ? resolved.path : "/etc/hosts";
	if (found)
		hosts.identity = resolved.identity;
	hosts.source =
		arena_text(wishes->arena,
			   "127.0.0.1 localhost%s%s\n::1 localhost ip6-localhost ip6-loopback\n",
			   name ? " " : "", name ? name : "");
	return wishes_add(wishes, &hosts, false);
}

int own_snippet(struct wishes *wishes)
{
	struct mount code = { .kind = MOUNT_TEXT,
			      .access = ACCESS_READ,
			      .from = { .file = "code", .order = ORDER_FLAGS } };
	code.target = wishes->plan->snippet.path;
	code.source = wishes->plan->snippet.text;
	return code.target ? wishes_add(wishes, &code, false) : 0;
}

int own_zshrc(struct wishes *wishes)
{
	const struct plan *plan = wishes->plan;
	struct mount file = { .kind = MOUNT_TEXT,
			      .access = ACCESS_READ,
			      .source = "# The box's own: your ~/.zshrc is not in it.\n",
			      .from = { .file = "zsh" } };
	const struct mount *home = wishes_seen(wishes, plan->real_home);
	file.target = path_below(wishes->arena, plan->real_home, ".zshrc");
	if (!plan->command || !plan->command[0] || plan->tier != TIER_FULL ||
	    !str_equal(path_name(plan->command[0]), "zsh") || !home || home->kind != MOUNT_TMPFS ||
	    wishes_seen(wishes, file.target) != home)
		return 0;
	return wishes_add(wishes, &file, false);
}
