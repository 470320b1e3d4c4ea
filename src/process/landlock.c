// Owns the Landlock rules: rights by kind of access, cut to the kernel's ABI.
#include "process/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "plan.h"
#include "probe.h"
#include "run.h"

int landlock_abi(void)
{
	int version = sys_landlock_create(NULL, 0, SYS_LANDLOCK_VERSION);
	return version < 0 ? 0 : testing_landlock(version);
}

int landlock_plan(const struct probe *probe, struct plan *plan)
{
	struct origin from = { .file = "landlock" };
	if (plan->nested) {
		list_add(&plan->notes, plan->arena,
			 "no Landlock: the group 'namespaces' needs mounts, which it forbids",
			 from);
		return 0;
	}
	plan->landlock = probe->landlock;
	if (!probe->landlock)
		list_add(&plan->notes, plan->arena,
			 "no Landlock in this kernel: the mount view alone protects files", from);
	else if (probe->landlock < 2)
		list_add(&plan->notes, plan->arena,
			 "this kernel's Landlock (before 5.19) denies renames between directories: "
			 "programs see EXDEV and copy",
			 from);
	else if (probe->landlock < 6 && plan->profile->network == NETWORK_HOST)
		list_add(&plan->notes, plan->arena,
			 "this kernel's Landlock does not scope abstract unix sockets (needs "
			 "6.12): in "
			 "network mode host the box reaches those of the host",
			 from);
	return 0;
}

static bool is_directory(const struct mount *mount)
{
	return mount->kind != MOUNT_TEXT &&
	       (mount->kind != MOUNT_BIND || mount->cache || mount->identity.type == S_IFDIR);
}

static bool is_link(const struct mount *mount)
{
	return mount->kind == MOUNT_COPY || mount->identity.type == S_IFLNK;
}

static int add_view(const struct plan *plan, const struct run *run, int ruleset)
{
	// The box may list any directory of its view.
	TRY(landlock_add_rights(plan, ruleset, run->root, LANDLOCK_READ_DIR));
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (run->mounts[i] >= 0 && !is_link(mount))
			TRY(landlock_add(plan, ruleset, run->mounts[i], mount->access,
					 is_directory(mount)));
	}
	return 0;
}

// Lets the box reopen a descriptor of the caller (/dev/fd/3) in the mode that the descriptor has.
// Pipes need no rule (EBADFD).
static int add_handed(const struct plan *plan, int ruleset, int fd)
{
	static const uint64_t by_mode[] = {
		[O_RDONLY] = LANDLOCK_READ_FILE,
		[O_WRONLY] = LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE,
		[O_RDWR] = LANDLOCK_READ_FILE | LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE,
		[O_WRONLY | O_RDWR] = 0, // allows only ioctl()
	};
	struct stat status;
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_PATH) || fstat(fd, &status) < 0 ||
	    (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)))
		return 0;
	struct sys_landlock_path rule = { .access = by_mode[flags & (O_WRONLY | O_RDWR)] &
						    landlock_handled(plan->landlock),
					  .fd = fd };
	if (rule.access && sys_landlock_add(ruleset, &rule) < 0 && errno != EBADFD)
		return fail(errno, "landlock_add_rule");
	return 0;
}

static int add_descriptors(const struct plan *plan, int ruleset)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		TRY(add_handed(plan, ruleset, fd));
	for (unsigned i = 0; i < plan->keep_count; i++)
		TRY(add_handed(plan, ruleset, plan->keep[i]));
	return 0;
}

int landlock_child(const struct plan *plan, struct run *run)
{
	struct sys_landlock_ruleset attributes = {
		.files = landlock_handled(plan->landlock),
		.scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX | LANDLOCK_SCOPE_SIGNAL,
	};
	if (!plan->landlock)
		return 0;
	if (plan->tier == TIER_LANDLOCK && !plan->own_network &&
	    plan->profile->network != NETWORK_HOST)
		attributes.network = LANDLOCK_BIND_TCP | LANDLOCK_CONNECT_TCP;
	size_t size = plan->landlock < 4 ? 8 : plan->landlock < 6 ? 16 : 24;
	autoclose int ruleset = sys_landlock_create(&attributes, size, 0);
	if (ruleset < 0)
		return fail(errno, "landlock_create_ruleset");
	TRY(plan->tier == TIER_FULL ? add_view(plan, run, ruleset) : domain_rules(plan, ruleset));
	TRY(add_descriptors(plan, ruleset));
	return sys_landlock_restrict(ruleset) < 0 ? fail(errno, "landlock_restrict_self") : 0;
}

// Grants LANDLOCK_REFER: a domain that does not handle it denies moves between directories.
int landlock_below(void)
{
	const struct sys_landlock_ruleset attributes = { .files = LANDLOCK_REFER,
							 .scoped = LANDLOCK_SCOPE_SIGNAL };
	struct sys_landlock_path all = { .access = LANDLOCK_REFER };
	int ruleset = sys_landlock_create(&attributes, sizeof(attributes), 0), result = -1;
	all.fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (ruleset >= 0 && all.fd >= 0 && sys_landlock_add(ruleset, &all) == 0)
		result = sys_landlock_restrict(ruleset);
	int error = errno;
	close(all.fd);
	close(ruleset);
	errno = error;
	return result;
}
