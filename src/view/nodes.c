// Owns the decision which inherited descriptors the box opens again at its mounts.
#include "view/view.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "view/paths/wishes.h"

bool nodes_note(struct plan *plan, int fd)
{
	struct stat status;
	if (fstat(fd, &status) < 0)
		return false;
	if (S_ISCHR(status.st_mode))
		plan->nodes[plan->node_count++] =
			(struct node){ fd, { status.st_dev, status.st_ino, S_IFCHR }, NULL };
	return S_ISDIR(status.st_mode);
}

static bool is_node(const struct mount *mount, const struct node *node)
{
	return mount->kind == MOUNT_BIND && str_equal(mount->from.file, "sbx") &&
	       mount->identity.device == node->identity.device &&
	       mount->identity.inode == node->identity.inode;
}

// Gives each terminal a node /dev/console or /dev/console-FD: glibc's ttyname() searches /dev.
// Devices that open another file (ptmx, a driver's) keep the descriptor.
int nodes_plan(struct wishes *wishes)
{
	bool first = true;
	for (unsigned i = 0; i < wishes->plan->node_count; i++) {
		struct node *node = &wishes->plan->nodes[i];
		struct resolved resolved;
		for (unsigned j = 0; j < wishes->count && !node->path; j++)
			if (is_node(&wishes->list[j].mount, node))
				node->path = wishes->list[j].mount.target;
		char *name = !node->path && isatty(node->fd) ? ttyname(node->fd) : NULL;
		if (!name || str_equal(path_name(name), "ptmx"))
			continue;
		const char *source = arena_copy(wishes->arena, name, strlen(name));
		if (ATTEMPT(resolve_path(wishes->resolver, source, &resolved)) != 1 ||
		    resolved.identity.inode != node->identity.inode)
			continue;
		node->path = first ? "/dev/console"
				   : arena_text(wishes->arena, "/dev/console-%d", node->fd);
		first = false;
		struct mount console = { .kind = MOUNT_BIND, .access = ACCESS_DEVICE };
		console.target = node->path;
		console.source = resolved.path;
		console.identity = node->identity;
		console.from.file = "sbx";
		TRY(wishes_add(wishes, &console, false));
	}
	return 0;
}
