// Owns the decision what of a view is copy-on-write in a session.
#include "jail/lasting.h"

#include <sys/stat.h>

#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "jail/wishes.h"

int lasting_mount(struct wishes *wishes, struct mount *mount)
{
	struct lasting *session = wishes->plan->session;
	if (mount->source && mount->identity.type != S_IFDIR)
		return fail(0,
			    "%s'%s' is a single file: in a session only directories can be "
			    "written; name its "
			    "directory, or make it readable alone",
			    origin_text(wishes->arena, mount->from), mount->target);
	mount->kind = MOUNT_LAYERS;
	for (unsigned i = 0; i < session->root_count; i++)
		if (str_equal(session->roots[i].path, mount->target) &&
		    session->roots[i].own == !mount->source) {
			mount->root = i;
			return 0;
		}
	if (session->root_count == ROOTS_MOST)
		return fail(0, "more than %d directories of one session", ROOTS_MOST);
	mount->root = session->root_count;
	session->roots[session->root_count++] =
		(struct root){ .path = mount->target, .own = !mount->source };
	return 0;
}

// A session as root: its system directories, whatever the profile says of them.
int lasting_system(struct wishes *wishes)
{
	const struct lasting *session = wishes->plan->session;
	for (unsigned i = 0; session && i < session->root_count; i++) {
		const struct root *root = &session->roots[i];
		struct mount mount = { .kind = MOUNT_LAYERS,
				       .access = ACCESS_WRITE,
				       .target = root->path,
				       .root = i,
				       .from = { .file = "as-root", .order = ORDER_FLAGS } };
		struct resolved resolved;
		if (!root->system)
			continue;
		int found = root->own ? 0 : resolve_path(wishes->resolver, root->path, &resolved);
		TRY(found);
		if (!root->own && (!found || !str_equal(resolved.path, root->path) ||
				   resolved.identity.type != S_IFDIR))
			return fail(0, "'%s' is not the directory that session '%s' was made over",
				    root->path, session->name);
		if (!root->own) {
			mount.source = root->path;
			mount.identity = resolved.identity;
		}
		TRY(wishes_add(wishes, &mount, true));
	}
	return 0;
}
