// Owns the decision what of a view is copy-on-write in a session.
#include "view/paths/lasting.h"

#include <sys/stat.h>

#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "view/paths/wishes.h"

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
	if (session->root_count == ROOTS_MAX)
		return fail(0, "more than %d directories of one session", ROOTS_MAX);
	mount->root = session->root_count;
	session->roots[session->root_count++] =
		(struct root){ .path = mount->target, .own = !mount->source };
	return 0;
}
