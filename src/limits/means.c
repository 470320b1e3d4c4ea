// Owns the choice how limits are kept (cgroups(7), and Documentation/admin-guide/cgroup-v2.rst on
// delegation).
#include "limits/group.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/testing.h"
#include "plan.h"

const char means_missing[] =
	"this user has no cgroup to put limits in. On a system with cgroup v2, start sbx from a "
	"session of systemd (loginctl enable-linger $USER; XDG_RUNTIME_DIR set)";

#define ROOT "/sys/fs/cgroup"
enum { TEXT_MAX = 4096, MAGIC_V2 = 0x63677270 };

static bool is_type(const char *path, unsigned long magic)
{
	struct statfs status;
	return statfs(path, &status) == 0 && (unsigned long)status.f_type == magic;
}

// False for the cgroup of systemd's user manager, and for undelegated ones in it.
static bool is_given(const char *path)
{
	char value[4] = "";
	if (!strstr(path, "/user@"))
		return true;
	return !str_starts(path_name(path), "user@") &&
	       getxattr(path, "user.delegate", value, sizeof(value) - 1) > 0 && value[0] == '1';
}

static uint64_t can_hold(const char *path, uint64_t wanted)
{
	char known[TEXT_MAX], given[TEXT_MAX], processes[16];
	uint64_t held = 0;
	autoclose int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return 0;
	size_t known_length = file_kernel(directory, "cgroup.controllers", known, sizeof(known));
	size_t given_length =
		file_kernel(directory, "cgroup.subtree_control", given, sizeof(given));
	bool empty = file_kernel(directory, "cgroup.procs", processes, sizeof(processes)) == 0;
	bool top = faccessat(directory, "cgroup.type", F_OK, 0) < 0;
	for (const struct setting *row = limit_files; row->file; row++)
		if ((row->bit & wanted) &&
		    (text_has(given, given_length, row->controller) ||
		     ((empty || top) && text_has(known, known_length, row->controller))))
			held |= row->bit;
	return held;
}

static bool may_write(const char *path)
{
	char file[PATH_MAX];
	str_put(file, sizeof(file), "%s/cgroup.procs", path);
	return access(path, W_OK) == 0 && access(file, W_OK) == 0;
}

static bool own_group(char own[PATH_MAX])
{
	char text[TEXT_MAX];
	size_t length = file_kernel(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text));
	return text_group(text, length, "", own, PATH_MAX);
}

static bool is_above(const char *group, const char *below)
{
	size_t length = strlen(group);
	return str_equal(group, "/") ||
	       (str_starts(below, group) && (below[length] == '/' || below[length] == '\0'));
}

static const char *place_of(const struct plan *plan, const char *group)
{
	return path_clean(plan->arena, arena_text(plan->arena, ROOT "%s", group));
}

// Returns false if the group has limits that the box would escape. A limit on processes, which
// systemd gives each service, is copied to the box.
static bool may_leave(struct plan *plan, const char *group)
{
	struct keeping *keeping = &plan->keeping;
	struct caller_limit limit;
	caller_look(place_of(plan, group), &limit);
	if (limit.pids < keeping->pids)
		keeping->pids = limit.pids;
	if (limit.what[0] && !testing_skips("caller"))
		keeping->caller = arena_text(plan->arena, "%s, %s", group, limit.what);
	return keeping->caller == NULL;
}

static bool may_leave_all(struct plan *plan, const char *own, const char *until)
{
	for (const char *at = own; !is_above(at, until); at = path_parent(plan->arena, at))
		if (!may_leave(plan, at))
			return false;
	return true;
}

static bool take_group(struct plan *plan, const char *path, uint64_t wanted)
{
	plan->keeping.held = can_hold(path, wanted);
	if (!plan->keeping.held)
		return false;
	plan->keeping.means = MEANS_GROUP;
	plan->keeping.parents[HIERARCHY_ONE] = path;
	return true;
}

static void find_for_root(struct plan *plan, const char *own, uint64_t wanted)
{
	struct keeping *keeping = &plan->keeping;
	for (const char *at = own; !str_equal(at, "/"); at = path_parent(plan->arena, at)) {
		uint64_t pids = keeping->pids;
		bool leaves = may_leave(plan, at);
		if ((!leaves || keeping->pids < pids) && !str_equal(at, own) &&
		    take_group(plan, place_of(plan, at), wanted)) {
			keeping->caller = NULL;
			return;
		}
		if (!leaves)
			return;
	}
	if (take_group(plan, ROOT, wanted)) {
		keeping->slice = true;
		keeping->parents[HIERARCHY_ONE] = ROOT "/sbx.slice";
	}
}

// Finds a parent for the box's cgroup. The kernel moves a process only for a writer of the common
// parent.
static void find_group(struct plan *plan, uint64_t wanted)
{
	char own[PATH_MAX];
	if (!is_type(ROOT, MAGIC_V2) || !own_group(own))
		return;
	if (plan->uid == 0 && may_write(ROOT) && access(ROOT "/cgroup.type", F_OK) < 0) {
		find_for_root(plan, own, wanted);
		return;
	}
	for (const char *at = own; !str_equal(at, "/");) {
		at = path_parent(plan->arena, at);
		const char *path = place_of(plan, at);
		if (!may_write(path) || !is_given(path) || !can_hold(path, wanted))
			continue;
		if (may_leave_all(plan, own, at))
			take_group(plan, path, wanted);
		return;
	}
}

// Finds the cgroup for the BPF guard: the box's, or one of cgroup v2 beside v1.
static int find_guard(struct plan *plan)
{
	static const char beside[] = ROOT "/unified";
	char own[PATH_MAX];
	if (plan->keeping.means == MEANS_GROUP)
		return 0;
	const char *root = is_type(ROOT, MAGIC_V2) ? ROOT : beside;
	if (plan->keeping.means == MEANS_SCOPE || !is_type(root, MAGIC_V2) || !own_group(own))
		return fail(0, "guard: cgroup v2 is needed to attach BPF programs, and this "
			       "machine has none");
	const char *path = path_clean(plan->arena, arena_text(plan->arena, "%s%s", root, own));
	if (!may_write(path))
		return fail(0, "guard: BPF programs need root, or CAP_BPF, CAP_PERFMON and "
			       "CAP_NET_ADMIN");
	plan->keeping.parents[HIERARCHY_GUARD] = path;
	return 0;
}

static void find_scope(struct plan *plan, uint64_t wanted)
{
	enum bus bus;
	autoclose int connection = -1;
	char text[TEXT_MAX], own[PATH_MAX];
	if (plan->uid == 0 || !is_type(ROOT, MAGIC_V2))
		return;
	// Only callers in the user's slice or the root group get a scope. A service or a cluster's
	// job would escape its limits.
	const char *slice =
		arena_text(plan->arena, "/user.slice/user-%u.slice", (unsigned)plan->uid);
	const char *service =
		arena_text(plan->arena, "%s/user@%u.service", slice, (unsigned)plan->uid);
	if (!own_group(own) || !(is_above(slice, own) || str_equal(own, "/")) ||
	    !may_leave_all(plan, own, arena_text(plan->arena, "%s/app.slice", service)) ||
	    (connection = manager_open(&bus)) < 0)
		return;
	const char *manager = arena_text(plan->arena, ROOT "%s/cgroup.controllers", service);
	size_t length = file_kernel(AT_FDCWD, manager, text, sizeof(text));
	for (const struct setting *row = limit_files; row->file; row++)
		if ((row->bit & wanted & ~LIMIT_BIT(io)) && text_has(text, length, row->controller))
			plan->keeping.held |= row->bit;
	if (plan->keeping.held)
		plan->keeping.means = MEANS_SCOPE;
}

static uint64_t wanted_of(const struct limits *limits)
{
	uint64_t wanted = 0, value;
	for (const struct setting *row = limit_files; row->file; row++) {
		memcpy(&value, (const char *)limits + row->offset, sizeof(value));
		wanted |= value != UNLIMITED ? row->bit : 0;
	}
	return wanted;
}

static const char *why_none(const struct plan *plan)
{
	if (!plan->keeping.caller)
		return means_missing;
	return arena_text(plan->arena,
			  "the box stays within the limits of the caller's cgroup (%s), which does "
			  "not allow a group inside it. Give that unit Delegate=yes and keep its "
			  "processes one level down",
			  plan->keeping.caller);
}

static int settle(struct plan *plan, uint64_t wanted, uint64_t hard)
{
	struct keeping *keeping = &plan->keeping;
	bool rlimit = plan->uid != 0 && plan->tier == TIER_FULL;
	bool tree = access("/proc/thread-self/children", F_OK) == 0;
	if (keeping->caller)
		list_add(&plan->notes, plan->arena,
			 arena_text(plan->arena,
				    "the box stays in the caller's cgroup, whose limits are "
				    "enforced for both: %s",
				    keeping->caller),
			 (struct origin){ .file = "limits" });
	for (const struct setting *wish = limit_files; wish->file; wish++) {
		if (!(wanted & wish->bit & ~keeping->held) ||
		    (rlimit && wish->bit == LIMIT_BIT(pids)))
			continue;
		if (!(wish->otherwise && tree) && (hard & wish->bit))
			return fail(0,
				    "limit '%s' cannot be enforced here: %s; to run without it, "
				    "put a '?' before the value: --%s '?VALUE'",
				    wish->name, why_none(plan), wish->name);
		if (wish->otherwise && tree)
			keeping->watched |= wish->bit;
		list_add(&plan->notes, plan->arena,
			 arena_text(plan->arena, "limit '%s' has no cgroup here: %s", wish->name,
				    wish->otherwise && tree ? wish->otherwise
							    : "it is not enforced"),
			 (struct origin){ .file = "limits" });
	}
	return 0;
}

int means_plan(struct plan *plan)
{
	const struct limits *limits = &plan->profile->limits;
	plan->keeping.pids = UNLIMITED;
	uint64_t wanted = wanted_of(limits), hard = wanted & ~limits->soft;
	// A request to systemd takes milliseconds: only strict limits are worth it.
	uint64_t worth = plan->uid == 0 ? hard : hard & ~LIMIT_BIT(pids);
	if (wanted)
		find_group(plan, wanted);
	if (plan->keeping.means == MEANS_RLIMITS && worth)
		find_scope(plan, wanted);
	if (limits->disk != UNLIMITED)
		plan->keeping.watched |= LIMIT_BIT(disk);
	if (plan->profile->guard == TOGGLE_YES)
		TRY(find_guard(plan));
	return settle(plan, wanted, hard);
}

const char *means_text(const struct plan *plan)
{
	const struct keeping *keeping = &plan->keeping;
	switch (keeping->means) {
	case MEANS_GROUP:
		return "a separate cgroup";
	case MEANS_SCOPE:
		return "a scope of your systemd";
	case MEANS_RLIMITS:
		break;
	}
	return keeping->watched ? "rlimits and periodic checks" : "rlimits";
}
