// Owns the overlays of a session. Each directory is opened first and handed to the file system as
// the name of its descriptor, in /proc/self/fd: no path of the host is looked up twice, and the
// option stays short. Box side: raw system calls, no memory.
#include "jail/layers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/sys.h"
#include "jail/target.h"
#include "plan.h"
#include "run.h"

enum { PATH_FLAGS = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, OPTION_MOST = 256 };

struct stack {
	int fds[CHAIN_MOST + 3];
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

// 1, 0 when a layer is older than this root, -1.
static int push(struct stack *stack, int layers, const char *id, const char *prefix, unsigned root)
{
	char name[32];
	snprintf(name, sizeof(name), "%s/%s%u", id, prefix, root);
	int fd = sys_openat2(layers, name, PATH_FLAGS, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	if (fd < 0 && errno == ENOENT && stack->count > 1) {
		autoclose int layer = sys_openat2(layers, id, PATH_FLAGS, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
		if (layer >= 0)
			return 0;
	}
	if (fd < 0)
		return fail(errno, "layer '%s' of the session", name);
	stack->fds[stack->count++] = fd;
	return 1;
}

// The directory of the host below all layers, or nothing.
static int push_base(struct stack *stack, const struct mount *mount, int layers)
{
	autoclose int fd = mount->source ? sys_openat2(AT_FDCWD, mount->source, PATH_FLAGS, RESOLVE_NO_SYMLINKS) :
					   openat(layers, EMPTY_LAYER, PATH_FLAGS);
	if (fd < 0)
		return fail(errno, "'%s'", mount->source ? mount->source : EMPTY_LAYER);
	if (mount->source && !target_is_same(fd, &mount->identity))
		return fail(0, "'%s' changed while the plan was made", mount->source);
	stack->fds[stack->count++] = take(&fd);
	return 0;
}

// First what is written and its directory to work in, then the frozen layers, then the host's.
static int open_stack(const struct plan *plan, const struct mount *mount, struct stack *stack)
{
	const struct lasting *session = plan->session;
	autoclose int layers = open_layers(plan);
	TRY(layers);
	TRY(push(stack, layers, session->chain[0], "", mount->root));
	TRY(push(stack, layers, session->chain[0], "w", mount->root));
	for (unsigned i = 1; i < session->chain_count; i++)
		TRY(push(stack, layers, session->chain[i], "", mount->root));
	return push_base(stack, mount, layers);
}

static int set(int fs, const char *key, const char *value)
{
	return sys_fsconfig(fs, FSCONFIG_SET_STRING, key, value) < 0 ? fail(errno, "overlay: %s", key) : 0;
}

static int configure(int fs, const struct run *run, const struct stack *stack)
{
	char option[OPTION_MOST];
	size_t used = 0;
	// The names are looked up now, or (before Linux 6.5) when the file system is made.
	if (fchdir(run->descriptors) < 0)
		return fail(errno, "/proc/self/fd");
	snprintf(option, sizeof(option), "%d", stack->fds[0]);
	TRY(set(fs, "upperdir", option));
	snprintf(option, sizeof(option), "%d", stack->fds[1]);
	TRY(set(fs, "workdir", option));
	for (unsigned i = 2; i < stack->count; i++)
		used += (size_t)snprintf(option + used, sizeof(option) - used, "%s%d", i > 2 ? ":" : "", stack->fds[i]);
	TRY(set(fs, "lowerdir", option));
	if (sys_fsconfig(fs, FSCONFIG_SET_FLAG, "userxattr", NULL) < 0)
		return fail(errno, "this kernel has no overlay for ordinary users, which sessions need (Linux 5.11)");
	return 0;
}

static int make_overlay(const struct plan *plan, const struct run *run, const struct mount *mount)
{
	__attribute__((cleanup(close_stack))) struct stack stack = { .count = 0 };
	TRY(open_stack(plan, mount, &stack));
	autoclose int fs = sys_fsopen("overlay");
	if (fs < 0)
		return fail(errno, "this kernel has no overlay file system, which sessions need");
	TRY(configure(fs, run, &stack));
	if (sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
		return fail(errno, "an overlay over '%s' (a directory with other file systems below cannot be in a "
				   "session, nor layers on a file system without extended attributes: '%s')",
			    mount->target, plan->session->layers);
	int tree = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	return tree < 0 ? fail(errno, "mount an overlay over '%s'", mount->target) : tree;
}

int layers_child(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	autoclose int tree = take(&run->trees[mount->root]);
	if (tree < 0)
		TRY(tree = make_overlay(plan, run, mount));
	TRY(target_make(run, mount, S_IFDIR | 0755));
	return target_attach(plan, run, index, take(&tree));
}
