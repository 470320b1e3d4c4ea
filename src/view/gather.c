// Owns the sources of the view's paths: the profile, the project, sbx itself.
#include "view/view.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/base.h"
#include "text/words.h"
#include "view/paths/wishes.h"
#include "view/protect/protect.h"
#include "view/hidden/hide.h"

// Leaves out, with a note, a path that the caller cannot reach. In a user's line without '?' it is
// an error.
static int leave_out(struct wishes *wishes, const struct item *item, const char *path, int found)
{
	bool asked = item->text[0] != '?' && !str_ends(item->from.file, "(built in)");
	if (found >= 0 || (!err_is(EACCES) && !err_is(ELOOP)))
		return found;
	const char *why = err_taken();
	if (asked)
		return fail(0, "%s'%s': %s", origin_text(wishes->arena, item->from), path, why);
	list_add(&wishes->plan->notes, wishes->arena,
		 arena_text(wishes->arena, "'%s' is left out: you cannot reach it: %s", path, why),
		 item->from);
	return 0;
}

static int add_bind(struct wishes *wishes, const struct item *item, enum access access)
{
	const char *path;
	if ((item->text[0] == '?' && wishes_lack(wishes, item->text + 1)) ||
	    wishes_is_taken(wishes, item))
		return 0;
	int found = resolve_expand(wishes->arena, &wishes->places, item, &path);
	if (found <= 0)
		return found;
	bool opened = access == ACCESS_WRITE && opened_note(wishes, item, path);
	TRY(found = leave_out(wishes, item, path,
			      wishes_add_path(wishes, path, item->from, access)));
	if (found == 0 && item->text[0] != '?' && !opened)
		return fail(0, "%s'%s' does not exist; prefix it with '?' if it may be missing",
			    origin_text(wishes->arena, item->from), path);
	return 0;
}

static int expand_directory(struct wishes *wishes, const struct item *item, struct mount *mount)
{
	const char *path;
	int expanded = resolve_expand(wishes->arena, &wishes->places, item, &path);
	if (expanded <= 0)
		return expanded;
	expanded = leave_out(
		wishes, item, path,
		wishes_resolve_new(wishes, path, item->from, &mount->target, &mount->identity));
	if (expanded <= 0)
		return expanded;
	if (str_equal(mount->target, "/"))
		return fail(0, "%s'/' is the whole machine; name directories instead",
			    origin_text(wishes->arena, item->from));
	bool other = mount->identity.type && mount->identity.type != S_IFDIR;
	if (other && str_equal(mount->target, wishes->plan->real_home))
		return fail(0, "HOME names '%s', which is not a directory; set it to one: HOME=DIR",
			    path);
	if (other)
		return fail(0, "%s'%s' is not a directory", origin_text(wishes->arena, item->from),
			    path);
	return 1;
}

static int add_tmpfs(struct wishes *wishes, const struct item *item)
{
	struct mount tmpfs = { .kind = MOUNT_TMPFS, .access = ACCESS_WRITE, .from = item->from };
	struct item place = *item;
	struct tmpfs_words words;
	if (!tmpfs_parse(item->text, &words))
		return fail(0, "%s'%s' is not valid for a tmpfs",
			    origin_text(wishes->arena, item->from), item->text);
	place.text = arena_copy(wishes->arena, item->text, words.path);
	int expanded = expand_directory(wishes, &place, &tmpfs);
	if (expanded <= 0)
		return expanded;
	tmpfs.size = words.size;
	tmpfs.mode = words.mode;
	if (wishes->plan->session && !path_within(tmpfs.target, "/dev")) {
		if (words.size || words.mode)
			return fail(0,
				    "%s'%s': a session keeps this directory, so size and mode "
				    "cannot be "
				    "set; the limit is: --disk-growth",
				    origin_text(wishes->arena, item->from), tmpfs.target);
		TRY(lasting_mount(wishes, &tmpfs));
	}
	return wishes_add(wishes, &tmpfs, false);
}

// Makes the cache's name: ".cargo/registry" -> ".cargo-registry"; a '-' of the path is doubled.
static const char *cache_name(struct wishes *wishes, const char *path)
{
	const char *home = wishes->plan->real_home;
	if (path_within(path, home) && !str_equal(path, home))
		path += strlen(home) + !str_equal(home, "/");
	char *name = arena_take(wishes->arena, strlen(path) * 2 + 1), *end = name;
	for (; *path; path++) {
		if (*path == '-')
			*end++ = '-';
		*end++ = *path == '/' ? '-' : *path;
	}
	return name;
}

static int add_cache(struct wishes *wishes, const struct item *item)
{
	struct mount cache = { .kind = MOUNT_BIND, .access = ACCESS_WRITE, .from = item->from };
	int expanded = wishes_is_taken(wishes, item) ? 0 : expand_directory(wishes, item, &cache);
	if (expanded <= 0)
		return expanded;
	if (!cache.identity.type && item->text[0] == '?' && !wishes_is_by_variable(item))
		return 0;
	if (!wishes->plan->caches ||
	    wishes->plan->learn) // learn reports reads, and a cache would hide them
		return 0;
	cache.cache = true;
	cache.source =
		path_join(wishes->arena, wishes->plan->caches, cache_name(wishes, cache.target));
	return wishes_add(wishes, &cache, false);
}

static int resolve_item(struct wishes *wishes, const struct item *item, enum mount_kind kind,
			enum access access, struct mount *ret_mount)
{
	const char *path;
	struct resolved resolved;
	int found = resolve_expand(wishes->arena, &wishes->places, item, &path);
	if (found <= 0)
		return found;
	TRY(found = leave_out(wishes, item, path, resolve_path(wishes->resolver, path, &resolved)));
	if (!found && item->text[0] != '?')
		return fail(0, "%s'%s' does not exist; prefix it with '?' if it may be missing",
			    origin_text(wishes->arena, item->from), path);
	if (!found)
		return 0;
	TRY(wishes_add_links(wishes, &resolved, item->from));
	*ret_mount = (struct mount){ .kind = kind, .access = access, .from = item->from };
	ret_mount->target = ret_mount->source = resolved.path;
	ret_mount->identity = resolved.identity;
	return 1;
}

static int add_scratch(struct wishes *wishes, const struct item *item)
{
	struct mount mount;
	int found = resolve_item(wishes, item, MOUNT_SCRATCH, ACCESS_WRITE, &mount);
	if (found <= 0)
		return found;
	if (mount.identity.type != S_IFDIR || str_equal(mount.target, "/"))
		return fail(0, "%s'%s' is not a directory that can be scratch",
			    origin_text(wishes->arena, item->from), mount.target);
	return wishes_add(wishes, &mount, true);
}

// Sockets and devices by which a command can leave its box. A project's file may not give them: a
// pull request can change the file.
static const struct {
	const char *path, *opens, *warning;
} doors[] = {
	{ "*/docker.sock", "is root on this machine", "docker can do anything on this machine" },
	{ "*/podman.sock", "runs anything as you", "podman can run anything as you, outside" },
	{ "*/containerd.sock", "is root on this machine",
	  "containerd can do anything on this machine" },
	{ "*/crio.sock", "is root on this machine", "cri-o can do anything on this machine" },
	{ "*/.X11-unix/*", "reads and types into all your windows",
	  "the command could read and type into all your windows (X11)" },
	{ "/dev/dri", "opens the GPU", NULL },
	{ "/dev/dri/*", "opens the GPU", NULL },
	{ "/dev/kfd", "opens the GPU", NULL },
	{ "/dev/dxg", "opens the GPU", NULL },
	{ "/dev/nvidia*", "opens the GPU", NULL },
	{ "/dev/tty?*", "opens a serial port", NULL },
};

static int check_door(struct wishes *wishes, const struct item *item, const struct mount *mount)
{
	for (size_t i = 0; i < sizeof(doors) / sizeof(*doors); i++) {
		if (fnmatch(doors[i].path, mount->source, 0) != 0)
			continue;
		if (item->from.order >= ORDER_UNTRUSTED && item->from.order < ORDER_FLAGS)
			return fail(0,
				    "%s'%s' %s: a project's file cannot open it; use a flag, or a "
				    "profile of yours: sbx run -p NAME",
				    origin_text(wishes->arena, item->from), mount->source,
				    doors[i].opens);
		if (doors[i].warning)
			list_add(&wishes->plan->warnings, wishes->arena, doors[i].warning,
				 item->from);
		break;
	}
	return 0;
}

static int add_socket(struct wishes *wishes, const struct item *item)
{
	struct mount mount;
	int found = resolve_item(wishes, item, MOUNT_BIND, ACCESS_READ, &mount);
	if (found <= 0)
		return found;
	if (mount.identity.type != S_IFSOCK)
		return fail(0, "%s'%s' is not a unix socket",
			    origin_text(wishes->arena, item->from), mount.target);
	TRY(check_door(wishes, item, &mount));
	return wishes_add(wishes, &mount, true);
}

// Memory and ports of the machine (major 1: mem, kmem, port).
static bool is_memory(const struct stat *status)
{
	return S_ISCHR(status->st_mode) && major(status->st_rdev) == 1 &&
	       minor(status->st_rdev) != 3 && minor(status->st_rdev) != 5 &&
	       minor(status->st_rdev) < 7;
}

// True for directories of /dev itself: no separate file system (hugepages), and not writable for
// all (shm).
static bool holds_devices(const struct stat *directory)
{
	struct stat devices;
	return stat("/dev", &devices) == 0 && devices.st_dev == directory->st_dev &&
	       (directory->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int add_device(struct wishes *wishes, const struct item *item)
{
	struct mount mount;
	struct stat status;
	bool optional = item->text[0] == '?';
	const char *name = item->text + optional;
	name += str_starts(name, "/dev/") ? strlen("/dev/") : 0;
	struct item whole = { .text = arena_text(wishes->arena, "%s/dev/%s", optional ? "?" : "",
						 name),
			      .from = item->from };
	int found = resolve_item(wishes, &whole, MOUNT_BIND, ACCESS_DEVICE, &mount);
	if (found <= 0)
		return found;
	bool kind = mount.identity.type == S_IFCHR || mount.identity.type == S_IFDIR;
	if (!kind || !path_within(mount.target, "/dev") || stat(mount.target, &status) < 0 ||
	    is_memory(&status))
		return fail(0, "%s'%s' is not a character device that a box can have",
			    origin_text(wishes->arena, item->from), mount.target);
	if (S_ISDIR(status.st_mode) && !holds_devices(&status))
		return fail(0,
			    "%s'%s' is a directory of files, not of devices; for an empty "
			    "one: --tmpfs %s",
			    origin_text(wishes->arena, item->from), mount.target, mount.target);
	TRY(check_door(wishes, item, &mount));
	return wishes_add(wishes, &mount, true);
}

// Keeps the name of the caller's directory, if the caller entered it through a symlink.
static int add_logical_directory(struct wishes *wishes)
{
	struct resolved resolved;
	const char *logical = NULL;
	for (char *const *entry = wishes->places.environment; *entry; entry++)
		if (str_starts(*entry, "PWD=/"))
			logical = path_clean(wishes->arena, *entry + 4);
	if (!logical || !wishes->plan->current || str_equal(logical, wishes->plan->current))
		return 0;
	if (ATTEMPT(resolve_path(wishes->resolver, logical, &resolved)) <= 0 ||
	    !str_equal(resolved.path, wishes->plan->current))
		return 0;
	return wishes_add_links(wishes, &resolved, (struct origin){ .file = "PWD" });
}

static int add_fixed(struct wishes *wishes, const struct fixed *table, unsigned count)
{
	for (size_t i = 0; i < count; i++) {
		struct mount mount = { .kind = table[i].kind, .access = table[i].access };
		struct resolved resolved;
		if (table[i].for_whom == ROOT && wishes->plan->uid != 0)
			continue;
		// A nested sandbox can mount a new /proc only if its parent's has no mounts below.
		if (wishes->plan->nested && wishes->plan->uid != 0 && table == fixed_proc_walls)
			continue;
		mount.target = table[i].target;
		mount.source = table[i].source;
		mount.from.file = "sbx";
		mount.optional = true;
		if (mount.kind == MOUNT_BIND) {
			int found = resolve_path(wishes->resolver, mount.source, &resolved);
			if (found < 0)
				return -1;
			if (!found)
				continue;
			mount.identity = resolved.identity;
		}
		TRY(wishes_add(wishes, &mount, false));
	}
	return 0;
}

// Adds the system directories that a root session always has.
static int add_system(struct wishes *wishes)
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

int gather_wishes(struct wishes *wishes)
{
	static const struct item resolv_conf = { NULL, "?/etc/resolv.conf", { "network", 0, 0 } };
	const struct profile *profile = wishes->plan->profile;
	resolver_list_home(wishes->resolver, wishes->arena, wishes->plan->real_home);
	list_each (item, &profile->read)
		TRY(add_bind(wishes, item, ACCESS_READ));
	list_each (item, &profile->write)
		TRY(add_bind(wishes, item, ACCESS_WRITE));
	list_each (item, &profile->tmpfs)
		TRY(add_tmpfs(wishes, item));
	list_each (item, &profile->cache)
		TRY(add_cache(wishes, item));
	list_each (item, &profile->scratch)
		TRY(add_scratch(wishes, item));
	list_each (item, &profile->read)
		TRY(own_includes(wishes, item));
	list_each (item, &profile->socket)
		TRY(add_socket(wishes, item));
	list_each (item, &profile->device)
		TRY(add_device(wishes, item));
	TRY(add_system(wishes));
	TRY(protect_plan(wishes));
	TRY(filtered_plan(wishes));
	if (profile->network == NETWORK_HOST)
		TRY(add_bind(wishes, &resolv_conf, ACCESS_READ));
	if (wishes->plan->egress.on && wishes->plan->own_network)
		TRY(own_hosts(wishes));
	TRY(roots_plan(wishes));
	TRY(own_snippet(wishes));
	TRY(own_meminfo(wishes));
	TRY(own_zshrc(wishes));
	TRY(sudo_plan(wishes));
	TRY(owners_plan(wishes));
	TRY(add_fixed(wishes, fixed_devices, fixed_device_count));
	TRY(nodes_plan(wishes));
	TRY(add_fixed(wishes, fixed_proc_walls, fixed_proc_wall_count));
	TRY(brought_plan(wishes));
	TRY(hide_plan(wishes));
	TRY(untracked_plan(wishes));
	brought_settle(wishes);
	TRY(planted_refuse(wishes));
	return add_logical_directory(wishes);
}
