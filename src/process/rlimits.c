// Owns the rlimits. RLIMIT_NPROC counts only this user namespace (Linux 5.14).
#include "process/ns.h"

#include <errno.h>
#include <stddef.h>
#include <sys/statfs.h>

#include "base/base.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"

struct row {
	int resource;
	size_t offset;
	const char *name;
};

static const struct row rows[] = {
	{ RLIMIT_NPROC, offsetof(struct limits, pids), "pids" },
	{ RLIMIT_FSIZE, offsetof(struct limits, file_size), "file-size" },
	{ RLIMIT_CORE, offsetof(struct limits, core), "core" },
};

// Limits that count for the whole user: the box gets 1/divisor of each (0: none). No cgroup bounds
// realtime threads.
static const struct limit_part {
	int resource;
	unsigned divisor;
	const char *name;
} parts[] = {
	{ RLIMIT_RTPRIO, 0, "realtime priority" },
	{ RLIMIT_NICE, 0, "priority" },
	{ RLIMIT_SIGPENDING, 4, "pending signals" },
	{ RLIMIT_MSGQUEUE, 2, "message queues" },
};

static int take_part(const struct limit_part *part)
{
	struct rlimit limit;
	if (sys_prlimit(part->resource, NULL, &limit) < 0)
		return fail(errno, "limit %s", part->name);
	if (limit.rlim_max == 0 || (limit.rlim_max == RLIM_INFINITY && part->divisor))
		return 0;
	limit.rlim_max = part->divisor ? limit.rlim_max / part->divisor : 0;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return sys_prlimit(part->resource, &limit, NULL) < 0 ? fail(errno, "limit %s", part->name)
							     : 0;
}

// A program in core_pattern (apport, systemd-coredump) runs as root on the host and reads the box's
// memory. Limit 1 prevents it, 0 does not: core(5).
enum { CORE_NONE = 1 };

// RLIMIT_FSIZE ends a long call that fills the disk before the limit `disk` is checked.
enum { FILE_LEAST = 16 << 20 };
static uint64_t file_most(const struct plan *plan)
{
	const struct limits *limits = &plan->profile->limits;
	uint64_t most = 0, disk = limits->disk;
	struct statfs status;
	for (unsigned i = 0; i < plan->mount_count && disk != UNLIMITED; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (mount->kind != MOUNT_BIND || mount->access != ACCESS_WRITE ||
		    statfs(mount->target, &status) < 0)
			continue;
		uint64_t space = status.f_bavail * (uint64_t)status.f_bsize / 4 * 3;
		most = space > most ? space : most;
	}
	if (most > 0 && most < disk)
		disk = most < FILE_LEAST ? FILE_LEAST : most;
	return disk < limits->file_size ? disk : limits->file_size;
}

static uint64_t wanted_of(const struct plan *plan, const struct row *row)
{
	const char *limits = (const char *)&plan->profile->limits;
	uint64_t wanted = *(const uint64_t *)(const void *)(limits + row->offset);
	if (row->resource == RLIMIT_FSIZE)
		return file_most(plan);
	return row->resource == RLIMIT_CORE && wanted == 0 ? CORE_NONE : wanted;
}

int rlimits_host(const struct plan *plan, struct run *run)
{
	(void)plan;
	if (sys_prlimit(RLIMIT_NOFILE, NULL, &run->callers_files) < 0)
		return fail(errno, "limit descriptors");
	struct rlimit raised = { run->callers_files.rlim_max, run->callers_files.rlim_max };
	if (raised.rlim_max != run->callers_files.rlim_cur &&
	    sys_prlimit(RLIMIT_NOFILE, &raised, NULL) < 0)
		return fail(errno, "limit descriptors");
	return 0;
}

// The box gets half of sbx's limit: sbx needs descriptors in flight. A nested box does not halve it
// again.
struct rlimit rlimits_files(const struct plan *plan, const struct run *run)
{
	struct rlimit limit = run->callers_files;
	uint64_t wanted = plan->profile->limits.open_files;
	if (!plan->inside && limit.rlim_max / 2 > limit.rlim_cur)
		limit.rlim_max /= 2;
	else if (!plan->inside)
		limit.rlim_max = limit.rlim_cur;
	if (wanted != UNLIMITED && wanted < limit.rlim_max)
		limit.rlim_max = wanted;
	if (wanted != UNLIMITED || limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return limit;
}

int rlimits_child(const struct plan *plan, struct run *run)
{
	(void)run;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		TRY(take_part(&parts[i]));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t wanted = wanted_of(plan, &rows[i]);
		// for the process that postcheck/walls.c forks
		bool another = rows[i].resource == RLIMIT_NPROC && plan->place_count > 0;
		struct rlimit limit = { wanted + another, wanted + another };
		// In tier landlock RLIMIT_NPROC counts all processes of the user.
		if (wanted == UNLIMITED ||
		    (plan->tier == TIER_LANDLOCK && rows[i].resource == RLIMIT_NPROC))
			continue;
		if (sys_prlimit(rows[i].resource, &limit, NULL) == 0)
			continue;
		if (errno != EPERM || sys_prlimit(rows[i].resource, NULL, &limit) < 0)
			return fail(errno, "limit %s", rows[i].name);
		limit.rlim_cur = limit.rlim_max;
		if (sys_prlimit(rows[i].resource, &limit, NULL) < 0)
			return fail(errno, "limit %s", rows[i].name);
	}
	return 0;
}
