// Owns the overlays of a session. Their options are names in /proc/self/fd: no host path is
// resolved twice.
#include "mount/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"
#include "session/store/store.h"

enum { PATH_FLAGS = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, OPTION_MAX = 256 };

struct stack {
	int fds[CHAIN_MAX + 3];
	unsigned count;
};

static void close_stack(struct stack *stack)
{
	while (stack->count > 0)
		fd_close(&stack->fds[--stack->count]);
}

int layers_child_begin(struct run *run)
{
	run->descriptors = open("/proc/self/fd", PATH_FLAGS & ~O_NOFOLLOW);
	return run->descriptors < 0 ? fail(errno, "/proc/self/fd, which a session needs") : 0;
}

static int open_layers(const struct plan *plan)
{
	const struct lasting *session = plan->session;
	autoclose int fd = sys_openat2(AT_FDCWD, session->layers, PATH_FLAGS, RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return fail(errno, "'%s'", session->layers);
	if (!target_is_same(fd, &session->layers_identity))
		return fail(0, "'%s' changed while the plan was made", session->layers);
	return take(&fd);
}

struct parts {
	const char *directory, *work;
	const struct mount *base; // the host's directory, or NULL
	const char *target;
};

// Returns 0 for a layer that was made before the session had this root.
static int push(struct stack *stack, int layers, const char *id, const char *part)
{
	char name[PLACE_MAX];
	str_put(name, sizeof(name), "%s%s", id, part);
	int fd = sys_openat2(layers, name, PATH_FLAGS, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	if (fd < 0 && errno == ENOENT && stack->count > 1) {
		autoclose int layer =
			sys_openat2(layers, id, PATH_FLAGS, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
		if (layer >= 0)
			return 0;
	}
	if (fd < 0)
		return fail(errno, "layer '%s' of the session", name);
	stack->fds[stack->count++] = fd;
	return 1;
}

static int push_base(struct stack *stack, const struct mount *mount, int layers)
{
	autoclose int fd =
		mount ? sys_openat2(AT_FDCWD, mount->source, PATH_FLAGS, RESOLVE_NO_SYMLINKS)
		      : openat(layers, EMPTY_LAYER, PATH_FLAGS);
	if (fd < 0)
		return fail(errno, "'%s'", mount ? mount->source : EMPTY_LAYER);
	if (mount && !target_is_same(fd, &mount->identity))
		return fail(0, "'%s' changed while the plan was made", mount->source);
	stack->fds[stack->count++] = take(&fd);
	return 0;
}

static int open_stack(const struct plan *plan, int layers, const struct parts *parts,
		      struct stack *stack)
{
	const struct lasting *session = plan->session;
	TRY(push(stack, layers, session->chain[0], parts->directory));
	TRY(push(stack, layers, session->chain[0], parts->work));
	for (unsigned i = 1; i < session->chain_count; i++)
		TRY(push(stack, layers, session->chain[i], parts->directory));
	return push_base(stack, parts->base, layers);
}

static int set(int fs, const char *key, const char *value)
{
	return sys_fsconfig(fs, FSCONFIG_SET_STRING, key, value) < 0
		       ? fail(errno, "overlay: %s", key)
		       : 0;
}

static int configure(int fs, const struct run *run, const struct stack *stack)
{
	char option[OPTION_MAX];
	size_t used = 0;
	// Options are names relative to /proc/self/fd, which Linux resolves here; before 6.5, when
	// it makes the file system.
	if (fchdir(run->descriptors) < 0)
		return fail(errno, "/proc/self/fd");
	snprintf(option, sizeof(option), "%d", stack->fds[0]);
	TRY(set(fs, "upperdir", option));
	snprintf(option, sizeof(option), "%d", stack->fds[1]);
	TRY(set(fs, "workdir", option));
	for (unsigned i = 2; i < stack->count; i++)
		used += (size_t)snprintf(option + used, sizeof(option) - used, "%s%d",
					 i > 2 ? ":" : "", stack->fds[i]);
	TRY(set(fs, "lowerdir", option));
	if (sys_fsconfig(fs, FSCONFIG_SET_FLAG, "userxattr", NULL) < 0)
		return fail(errno, "this kernel has no overlay for ordinary users, which sessions "
				   "need (Linux 5.11)");
	return 0;
}

static int make_overlay(const struct plan *plan, const struct run *run, int layers,
			const struct parts *parts)
{
	__attribute__((cleanup(close_stack))) struct stack stack = { .count = 0 };
	TRY(open_stack(plan, layers, parts, &stack));
	autoclose int fs = sys_fsopen("overlay");
	if (fs < 0)
		return fail(errno, "this kernel has no overlay file system, which sessions need");
	TRY(configure(fs, run, &stack));
	if (sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
		return fail(errno,
			    "an overlay over '%s' (a session cannot have a directory with other "
			    "file systems below it, or layers on a file system without extended "
			    "attributes: '%s')",
			    parts->target, plan->session->layers);
	int tree = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	return tree < 0 ? fail(errno, "mount an overlay over '%s'", parts->target) : tree;
}

// Binds the only layer, which takes a tenth of an overlay's time.
static int make_bind(const struct plan *plan, int layers, const struct mount *mount)
{
	struct mount_attr attributes = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
					 .propagation = MS_PRIVATE };
	char place[PLACE_MAX];
	place_of_root(place, plan->session->chain[0], true, mount->root);
	autoclose int fd =
		sys_openat2(layers, place, PATH_FLAGS, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	autoclose int tree =
		fd < 0 ? -1
		       : sys_open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
	if (tree < 0 || sys_mount_setattr(tree, 0, &attributes) < 0)
		return fail(errno, "layer '%s' of the session", place);
	return take(&tree);
}

// Clones a root's part of the overlay that roots without a host directory share. Before Linux 6.1 a
// clone needs a mounted file system: mounts the overlay where the first part will cover it.
static int make_part(const struct plan *plan, struct run *run, int layers,
		     const struct mount *mount)
{
	static const struct parts own = { "/" PLACE_OWN, "/w" PLACE_OWN, NULL, PLACE_OWN };
	char name[16];
	if (run->joined_own)
		return fail(0,
			    "'%s' is new in session '%s', which another command has mounted; try "
			    "again when that has ended",
			    mount->target, plan->session->name);
	if (run->own_overlay < 0) {
		TRY(run->own_overlay = make_overlay(plan, run, layers, &own));
		TRY(target_make(run, mount, S_IFDIR | 0755));
		if (sys_move_mount(run->own_overlay, "", run->root, target_inside(mount->target),
				   MOVE_MOUNT_F_EMPTY_PATH) < 0)
			return fail(errno, "mount '%s'", mount->target);
	}
	snprintf(name, sizeof(name), "%u", mount->root);
	int tree = sys_open_tree(run->own_overlay, name,
				 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
	return tree < 0 ? fail(errno, "'%s' in the session's layers", mount->target) : tree;
}

static int make_tree(const struct plan *plan, struct run *run, const struct mount *mount)
{
	char directory[PLACE_MAX], work[PLACE_MAX];
	autoclose int layers = open_layers(plan);
	TRY(layers);
	if (!mount->source)
		return plan->session->chain_count == 1 ? make_bind(plan, layers, mount)
						       : make_part(plan, run, layers, mount);
	place_of_root(directory, "", false, mount->root);
	place_of_work(work, "", false, mount->root);
	return make_overlay(plan, run, layers,
			    &(struct parts){ directory, work, mount, mount->target });
}

int layers_child(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	autoclose int tree = take(&run->trees[mount->root]);
	if (tree < 0)
		TRY(tree = make_tree(plan, run, mount));
	TRY(target_make(run, mount, S_IFDIR | 0755));
	return target_attach(plan, run, index, take(&tree));
}
