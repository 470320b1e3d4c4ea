// Owns the check of symlinks on the way to shown paths: a box may have made them.
#include "view/paths/wishes.h"

#include <stdbool.h>

#include "base/base.h"

static bool is_grant(const struct mount *mount)
{
	bool shown = mount->kind == MOUNT_BIND || mount->kind == MOUNT_SCRATCH ||
		     (mount->kind == MOUNT_LAYERS && mount->source);
	return shown && !mount->cache && mount->access != ACCESS_DEVICE;
}

static bool same_line(const struct origin *left, const struct origin *right)
{
	return left->file == right->file && left->line == right->line &&
	       left->order == right->order;
}

static bool leads_out(const char *link, const char *target, const char *place)
{
	return place && path_within(link, place) && !path_within(target, place);
}

static bool leads(const struct wishes *wishes, const char *link, const char *target)
{
	bool out = leads_out(link, target, wishes->plan->toplevel);
	for (unsigned i = 0; i < wishes->count && !out; i++) {
		const struct mount *place = &wishes->list[i].mount;
		out = is_grant(place) && place->access == ACCESS_WRITE &&
		      leads_out(link, target, place->target);
	}
	return out;
}

bool planted_is(const struct wishes *wishes, const struct resolved *resolved)
{
	for (unsigned i = 0; i < resolved->link_count; i++)
		if (leads(wishes, resolved->links[i].path, resolved->path))
			return true;
	return false;
}

static int check_link(const struct wishes *wishes, const struct mount *link,
		      const struct mount *grant)
{
	return !leads(wishes, link->target, grant->target)
		       ? 0
		       : fail(0,
			      "%s'%s' is reached by the symlink '%s', which a command in a box "
			      "could have made; if you "
			      "mean it, name it by its own path",
			      origin_text(wishes->arena, grant->from), str_shown(grant->target),
			      str_shown(link->target));
}

int planted_refuse(const struct wishes *wishes)
{
	unsigned first = 0;
	for (unsigned i = 0; i < wishes->count; i++) {
		const struct mount *grant = &wishes->list[i].mount;
		if (grant->kind == MOUNT_LINK)
			continue;
		for (unsigned j = first; j < i && is_grant(grant); j++)
			if (same_line(&wishes->list[j].mount.from, &grant->from))
				TRY(check_link(wishes, &wishes->list[j].mount, grant));
		first = i + 1;
	}
	return 0;
}
