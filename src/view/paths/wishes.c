// Owns the list of wishes (paths wanted in the view), and the rules for adding a path.
#include "view/paths/wishes.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"

int wishes_add(struct wishes *wishes, const struct mount *mount, bool pinned)
{
	if (wishes->count == WISHES_MAX)
		return fail(0, "more than %d paths in one plan", WISHES_MAX);
	struct wish *wish = &wishes->list[wishes->count];
	*wish = (struct wish){ .mount = *mount, .pinned = pinned };
	wishes->sorted[wishes->count++] = wish;
	return 0;
}

int wishes_add_wall(struct wishes *wishes, const struct mount *mount)
{
	TRY(wishes_add(wishes, mount, true));
	wishes->list[wishes->count - 1].wall = true;
	return 0;
}

int wishes_add_links(struct wishes *wishes, const struct resolved *resolved, struct origin from)
{
	for (unsigned i = 0; i < resolved->link_count; i++) {
		struct mount link = { .kind = MOUNT_LINK, .access = ACCESS_READ, .from = from };
		link.target = resolved->links[i].path;
		link.source = resolved->links[i].text;
		TRY(wishes_add(wishes, &link, false));
	}
	return 0;
}

int wishes_keep_links(struct wishes *wishes, const struct resolved *resolved, unsigned first,
		      struct origin from)
{
	struct stat status;
	for (unsigned i = first; i < resolved->link_count; i++) {
		struct mount link = { .kind = MOUNT_BIND, .access = ACCESS_READ, .from = from };
		link.source = link.target = resolved->links[i].path;
		if (!wishes_is_reached(wishes, link.target) || lstat(link.target, &status) < 0)
			continue;
		link.identity =
			(struct identity){ status.st_dev, status.st_ino, status.st_mode & S_IFMT };
		TRY(wishes_add_wall(wishes, &link));
	}
	return 0;
}

static int refuse_writable(struct wishes *wishes, struct origin from, const char *path)
{
	const char *why = project_refusal(wishes->plan, path);
	if (!why)
		return 0;
	return fail(0, "%s'%s' %s and cannot be writable in a box",
		    origin_text(wishes->arena, from), path, why);
}

// Returns why a path may not be mounted, or NULL. The box has its own /proc, and a /dev without
// other devices.
static const char *not_to_be_bound(const struct resolved *resolved)
{
	if (str_equal(resolved->path, "/"))
		return "is the whole machine; name directories instead";
	if (path_within(resolved->path, "/proc") || str_equal(resolved->path, "/dev"))
		return "is the box's own";
	if (resolved->identity.type == S_IFCHR || resolved->identity.type == S_IFBLK)
		return "is a device; use --device";
	return NULL;
}

int wishes_add_path(struct wishes *wishes, const char *path, struct origin from, enum access access)
{
	struct resolved resolved;
	int found = resolve_path(wishes->resolver, path, &resolved);
	if (found <= 0)
		return found;
	if (str_equal(resolved.path, "/dev/null") && resolved.link_count > 0) // each box has a
									      // /dev/null
		return wishes_add_links(wishes, &resolved, from) < 0 ? -1 : 1;
	const char *why = not_to_be_bound(&resolved);
	if (why)
		return fail(0, "%s'%s' %s", origin_text(wishes->arena, from), path, why);
	if (access == ACCESS_WRITE)
		TRY(refuse_writable(wishes, from, resolved.path));
	TRY(wishes_add_links(wishes, &resolved, from));
	struct mount bind = { .kind = MOUNT_BIND, .access = access, .from = from };
	bind.target = bind.source = resolved.path;
	bind.identity = resolved.identity;
	if (access == ACCESS_WRITE && wishes->plan->session)
		TRY(lasting_mount(wishes, &bind));
	TRY(wishes_add(wishes, &bind, false));
	return 1;
}

bool wishes_lack(const struct wishes *wishes, const char *text)
{
	const char *home = wishes->plan->real_home;
	char guess[PATH_MAX] __attribute__((uninitialized));
	size_t length = strlen(home), more = strlen(text);
	if (!str_starts(text, "~/") || length + more >= sizeof(guess))
		return false;
	memcpy(guess, home, length);
	memcpy(guess + length, text + 1, more);
	return resolver_lacks(wishes->resolver, guess);
}

int wishes_resolve_new(struct wishes *wishes, const char *path, struct origin from,
		       const char **ret_path, struct identity *ret_identity)
{
	struct resolved resolved;
	TRY(resolve_path(wishes->resolver, path, &resolved));
	*ret_path = resolved.path;
	*ret_identity = resolved.identity;
	TRY(wishes_add_links(wishes, &resolved, from));
	return 1;
}

const struct mount *wishes_seen(const struct wishes *wishes, const char *path)
{
	const struct mount *deepest = NULL;
	for (unsigned i = 0; i < wishes->count; i++) {
		const struct mount *mount = &wishes->list[i].mount;
		if (mount->kind == MOUNT_LINK || mount->kind == MOUNT_COPY ||
		    !path_within(path, mount->target) ||
		    (deepest && !path_within(mount->target, deepest->target)))
			continue;
		if (!deepest || !str_equal(mount->target, deepest->target) ||
		    mount->from.order >= deepest->from.order)
			deepest = mount;
	}
	return deepest;
}

bool wishes_is_named(const struct wishes *wishes, const char *path, unsigned order)
{
	for (unsigned i = 0; i < wishes->count; i++) {
		const struct mount *mount = &wishes->list[i].mount;
		if (!wishes->list[i].wall && !mount->cache &&
		    (mount->kind == MOUNT_BIND || mount->kind == MOUNT_SCRATCH) &&
		    mount->from.order > order && str_equal(mount->target, path))
			return true;
	}
	return false;
}

bool wishes_is_reached(const struct wishes *wishes, const char *path)
{
	const struct mount *seen = wishes_seen(wishes, path);
	return seen && seen->kind == MOUNT_BIND && seen->access == ACCESS_WRITE && !seen->cache;
}

bool wishes_is_seen(const struct wishes *wishes, const char *path)
{
	const struct mount *seen = wishes_seen(wishes, path);
	return seen && !seen->cache &&
	       (seen->kind == MOUNT_BIND || seen->kind == MOUNT_SCRATCH ||
		(seen->kind == MOUNT_LAYERS && seen->source));
}

bool wishes_is_lasting(const struct wishes *wishes, const char *path)
{
	const struct mount *seen = wishes_seen(wishes, path);
	return seen && seen->kind == MOUNT_LAYERS && seen->source;
}

bool wishes_is_scratch(const struct wishes *wishes, const char *path)
{
	const struct mount *seen = wishes_seen(wishes, path);
	return wishes_is_lasting(wishes, path) || (seen && seen->kind == MOUNT_SCRATCH);
}

bool wishes_is_hidden(const struct wishes *wishes, const char *path)
{
	size_t length = strlen(path);
	for (unsigned i = 0; i < wishes->hidden_count; i++) {
		const struct hidden *hidden = &wishes->hidden[i];
		// Compares the byte after the name first: it differs most often.
		if (hidden->length <= length &&
		    (path[hidden->length] == '\0' || path[hidden->length] == '/') &&
		    memcmp(path, hidden->path, hidden->length) == 0)
			return true;
	}
	return false;
}

bool wishes_is_by_variable(const struct item *item)
{
	return str_starts(item->text, "?$") && str_ends(item->from.file, "(built in)");
}

bool wishes_is_taken(const struct wishes *wishes, const struct item *item)
{
	const struct plan *plan = wishes->plan;
	const char *path, *project = plan->project;
	struct stat status;
	if (!wishes_is_by_variable(item))
		return false;
	bool taken = ATTEMPT(resolve_expand(wishes->arena, &wishes->places, item, &path)) <= 0 ||
		     wishes_is_seen(wishes, path) || path_within(plan->real_home, path) ||
		     (project && (path_within(project, path) || path_within(path, project))) ||
		     (stat(path, &status) == 0 && !S_ISDIR(status.st_mode));
	for (unsigned i = 0; i < wishes->count && !taken; i++)
		taken = path_within(wishes->list[i].mount.target, path);
	return taken;
}

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

bool opened_note(struct wishes *wishes, const struct item *item, const char *path)
{
	const struct plan *plan = wishes->plan;
	const char *text = item->text + (item->text[0] == '?');
	const char *parent = resolve_real(wishes->resolver, path_parent(wishes->arena, path));
	const char *name = path_below(wishes->arena, parent, path_name(path));
	if (!plan->project || plan->profile->project != PROJECT_WRITE ||
	    (item->from.line != 0 && !str_starts(text, "./")) ||
	    !path_within(name, plan->project) || str_equal(name, plan->project))
		return false;
	list_add(&wishes->opened, wishes->arena, name, item->from);
	return true;
}

bool opened_has(const struct wishes *wishes, const char *path)
{
	return list_has(&wishes->opened, path);
}

enum apart wishes_whose(const void *with, const char *file)
{
	const struct wishes *wishes = with;
	const char *real = resolve_real(wishes->resolver, file), *project = wishes->plan->project;
	return wishes_is_reached(wishes, real) || (project && path_within(real, project))
		       ? APART_OTHERS
		       : APART_ALONE;
}
