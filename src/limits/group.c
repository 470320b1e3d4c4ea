// Owns the making, filling and removing of cgroups (cgroups(7)). A group is named after its
// supervisor, which locks it. sbx removes unlocked groups of dead supervisors.
#include "limits/group.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"
#include "run.h"

static const char prefix[] = "sbx-";
enum { REMOVE_MILLISECONDS = 200 };

static int write_limits(const struct plan *plan, int directory)
{
	const struct limits *limits = &plan->profile->limits;
	for (const struct setting *row = limit_files; row->file; row++) {
		char text[96];
		uint64_t limit = settings_limit(plan, row->offset);
		if (!(plan->keeping.held & row->bit) || limit == UNLIMITED)
			continue;
		settings_text(plan, row, limit, text, sizeof(text));
		int result = fd_write_file(directory, row->file, text);
		bool soft = (limits->soft & row->bit) != 0;
		if (result < 0 && row->form == SETTING_DEVICE && !soft)
			return fail(0,
				    "limit 'io': the project is not on a disk of this machine (%s)",
				    text);
		// A soft limit may fail: a kernel without swap accounting lacks the file, and a
		// tmpfs has no disk.
		if (result < 0 && !(soft && (result == -ENOENT || row->form == SETTING_DEVICE)))
			return fail(-result, "%s = %s", row->file, text);
	}
	return 0;
}

// Removes groups of dead supervisors. A living one may not have locked its group yet.
static void sweep(int parent)
{
	autoclose int copy = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	entries_each (each, copy) {
		if (!str_starts(each->name, prefix))
			continue;
		long pid = strtol(each->name + strlen(prefix), NULL, 10);
		if (pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		autoclose int left = openat(parent, each->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (left >= 0 && flock(left, LOCK_EX | LOCK_NB) == 0)
			unlinkat(parent, each->name, AT_REMOVEDIR);
	}
}

// Enables missing controllers for child groups.
static int hand_on(const struct plan *plan, int directory)
{
	char given[512];
	size_t length = file_kernel(directory, "cgroup.subtree_control", given, sizeof(given));
	for (const struct setting *row = limit_files; row->file; row++) {
		char text[32];
		if (!(plan->keeping.held & row->bit) || text_has(given, length, row->controller))
			continue;
		snprintf(text, sizeof(text), "+%s", row->controller);
		int result = fd_write_file(directory, "cgroup.subtree_control", text);
		if (result < 0)
			return fail(-result, "controller '%s' of the cgroup", row->controller);
	}
	return 0;
}

static int open_slice(const struct plan *plan)
{
	autoclose int top = fd_directory(AT_FDCWD, "/sys/fs/cgroup");
	if (top < 0)
		return fail(errno, "/sys/fs/cgroup");
	TRY(hand_on(plan, top));
	if (mkdirat(top, "sbx.slice", 0755) < 0 && errno != EEXIST)
		return fail(errno, "make the cgroup sbx.slice");
	int slice = fd_directory(top, "sbx.slice");
	return slice < 0 ? fail(errno, "the cgroup sbx.slice") : slice;
}

static int open_parent(const struct plan *plan, enum hierarchy hierarchy)
{
	const struct keeping *keeping = &plan->keeping;
	autoclose int parent = keeping->slice ? open_slice(plan)
					      : fd_directory(AT_FDCWD, keeping->parents[hierarchy]);
	if (parent < 0)
		return fail(errno, "the cgroup '%s'", keeping->parents[hierarchy]);
	if (keeping->means == MEANS_GROUP)
		TRY(hand_on(plan, parent));
	return take(&parent);
}

static int make_own(struct group *group, enum hierarchy hierarchy)
{
	enum { TRIES = 20 };
	int parent = group->parents[hierarchy];
	for (int i = 0; i < TRIES; i++) {
		if (mkdirat(parent, group->name, 0755) < 0)
			return fail(errno, "make the cgroup '%s'", group->name);
		int own = fd_directory(parent, group->name);
		if (own >= 0 && flock(own, LOCK_SH | LOCK_NB) == 0) {
			group->own[hierarchy] = own;
			return 0;
		}
		fd_close(&own);
	}
	return fail(EAGAIN, "make the cgroup '%s'", group->name);
}

void group_init(struct group *group)
{
	*group = (struct group){ .manager = -1 };
	for (int i = 0; i < HIERARCHIES; i++)
		group->parents[i] = group->own[i] = -1;
}

int group_host(const struct plan *plan, struct run *run)
{
	struct group *group = run->group;
	struct timespec now;
	run->grouped = plan->keeping.means != MEANS_RLIMITS || plan->profile->guard == TOGGLE_YES;
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(group->name, sizeof(group->name), "%s%d-%lx", prefix, (int)getpid(),
		 (unsigned long)now.tv_nsec);
	for (int i = 0; i < HIERARCHIES; i++)
		if (plan->keeping.parents[i]) {
			TRY(group->parents[i] = open_parent(plan, (enum hierarchy)i));
			sweep(group->parents[i]);
			TRY(make_own(group, (enum hierarchy)i));
		}
	run->cgroup = plan->keeping.means == MEANS_GROUP ? group->own[HIERARCHY_ONE]
							 : group->own[HIERARCHY_GUARD];
	return 0;
}

int group_fill_host(const struct plan *plan, struct run *run)
{
	struct group *group = run->group;
	char pid[32];
	int own = group->own[HIERARCHY_ONE];
	if (plan->keeping.means == MEANS_SCOPE)
		return scope_ask(plan, run);
	if (plan->keeping.means == MEANS_RLIMITS)
		return 0;
	if (plan->keeping.held & LIMIT_BIT(memory))
		fd_write_file(own, "memory.oom.group", "1"); // Linux 4.19
	TRY(write_limits(plan, own));
	if (plan->tier == TIER_FULL)
		return 0;
	snprintf(pid, sizeof(pid), "%d", (int)run->init);
	int result = fd_write_file(own, "cgroup.procs", pid);
	return result < 0 ? fail(-result, "join the cgroup") : 0;
}

int group_ready_host(const struct plan *plan, struct run *run)
{
	return plan->keeping.means == MEANS_SCOPE ? scope_wait(plan, run) : 0;
}

// Repeats rmdir on EBUSY: a process leaves its cgroup after its parent was notified.
static void remove_own(const struct group *group, enum hierarchy hierarchy)
{
	const struct timespec moment = { .tv_nsec = 500000 };
	for (int i = 0; i < 2 * REMOVE_MILLISECONDS; i++) {
		if (unlinkat(group->parents[hierarchy], group->name, AT_REMOVEDIR) == 0 ||
		    errno != EBUSY)
			break;
		nanosleep(&moment, NULL);
	}
}

// Waits for systemd's answer: if pid 1 died during the request, an empty scope would stay.
int group_fill_undo(const struct plan *plan, struct run *run)
{
	if (run->group->manager >= 0 && run->init > 0)
		scope_wait(plan, run);
	return 0;
}

int group_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	struct group *group = run->group;
	watch_limits_end(run);
	if (group->own[HIERARCHY_ONE] >= 0)
		fd_write_file(group->own[HIERARCHY_ONE], "cgroup.kill", "1"); // Linux 5.14
	for (int i = 0; i < HIERARCHIES; i++) {
		if (group->parents[i] >= 0 && group->own[i] >= 0)
			remove_own(group, (enum hierarchy)i);
		fd_close(&group->own[i]);
		fd_close(&group->parents[i]);
	}
	fd_close(&group->manager);
	run->cgroup = -1;
	return 0;
}
