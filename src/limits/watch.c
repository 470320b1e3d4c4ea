// Owns the looks at what a live box uses. They come more often near a limit.
#include "limits/group.h"

#include <fcntl.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/fd.h"
#include "plan.h"
#include "run.h"

enum {
	MEMORY_PER_MILLISECOND = 4 << 20,
	DISK_PER_MILLISECOND = 8 << 20,
	LOOK_SOONEST = 50,
	LOOK_LATEST = 1000,
	DISK_SOONEST = 2,
	DISK_LATEST = 10000,
	REST_PARTS = 4,
	PIDS_EACH = 100,
	PIDS_PER_MILLISECOND = 1,
	FILE_BYTES = 4096,
};

static int64_t between(uint64_t headroom, uint64_t speed, int64_t soonest, int64_t latest)
{
	int64_t wait = (int64_t)(headroom / speed > (uint64_t)latest ? (uint64_t)latest
								     : headroom / speed);
	return wait < soonest ? soonest : wait;
}

static void add_disk(struct watch_limits *watch, const char *path)
{
	struct statfs status, other;
	autoclose int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstatfs(fd, &status) < 0 || watch->disk_count == DISKS_MAX)
		return;
	for (int i = 0; i < watch->disk_count; i++)
		if (fstatfs(watch->disks[i].fd, &other) == 0 &&
		    other.f_fsid.__val[0] == status.f_fsid.__val[0] &&
		    other.f_fsid.__val[1] == status.f_fsid.__val[1])
			return;
	watch->disks[watch->disk_count++] =
		(struct disk){ take(&fd), status.f_bavail * (uint64_t)status.f_bsize,
			       status.f_ffree };
}

static uint64_t shared_now(uint64_t *ret_half)
{
	struct sysinfo info;
	if (sysinfo(&info) < 0)
		info = (struct sysinfo){ 0 };
	*ret_half = info.totalram / 2 * info.mem_unit;
	return info.sharedram * (uint64_t)info.mem_unit;
}

// True if processes are counted only to report the limit: an rlimit reports nothing.
static bool is_counted(const struct plan *plan)
{
	return plan->profile->limits.pids != UNLIMITED &&
	       !((plan->keeping.held | plan->keeping.watched) & LIMIT_BIT(pids));
}

static int64_t until_pids(uint64_t limit, uint64_t most, uint64_t now)
{
	return most >= limit ? LOOK_LATEST
			     : between(limit - now, PIDS_PER_MILLISECOND, PIDS_EACH, LOOK_LATEST);
}

void watch_limits_begin(const struct plan *plan, struct run *run, int64_t now)
{
	struct watch_limits *watch = &run->group->watch;
	// Looks soon: a box must not exceed a small limit before the first look.
	uint64_t first = plan->profile->limits.disk / DISK_PER_MILLISECOND;
	first = first < DISK_SOONEST ? DISK_SOONEST : first < LOOK_SOONEST ? first : LOOK_SOONEST;
	watch->next = plan->keeping.watched || is_counted(plan) ? now + (int64_t)first : -1;
	watch->disk_next = watch->next;
	if (plan->keeping.watched & LIMIT_BIT(memory)) {
		uint64_t half;
		watch->shared = shared_now(&half);
	}
	if (!(plan->keeping.watched & LIMIT_BIT(disk)))
		return;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (mount->kind == MOUNT_BIND && mount->access == ACCESS_WRITE)
			add_disk(watch, mount->source);
	}
	if (plan->session)
		add_disk(watch, plan->session->layers);
}

static uint64_t room(uint64_t limit, uint64_t start, uint64_t now)
{
	uint64_t used = start > now ? start - now : 0;
	uint64_t most = start / 4 * 3 < limit ? start / 4 * 3 : limit;
	return used >= most ? 0 : most - used;
}

static bool grew(uint64_t limit, uint64_t start, uint64_t now)
{
	return start > now && start - now >= limit;
}

static int64_t look_at_disks(const struct plan *plan, const struct watch_limits *watch,
			     enum stop *ret_stop)
{
	uint64_t limit = plan->profile->limits.disk, least = UNLIMITED;
	for (int i = 0; i < watch->disk_count; i++) {
		const struct disk *disk = &watch->disks[i];
		struct statfs status;
		if (fstatfs(disk->fd, &status) < 0)
			continue;
		uint64_t free_bytes = status.f_bavail * (uint64_t)status.f_bsize;
		uint64_t space = room(limit, disk->space, free_bytes);
		// Some file systems (btrfs) do not count files.
		uint64_t files = disk->files ? room(limit / FILE_BYTES, disk->files, status.f_ffree)
					     : UNLIMITED;
		if ((space == 0 && disk->space) || files == 0)
			*ret_stop = grew(limit, disk->space, free_bytes) ||
						    grew(limit / FILE_BYTES, disk->files,
							 status.f_ffree)
					    ? STOP_DISK
					    : STOP_FULL;
		files = files > UNLIMITED / FILE_BYTES ? UNLIMITED : files * FILE_BYTES;
		least = space < least ? space : least;
		least = files < least ? files : least;
	}
	return between(least, DISK_PER_MILLISECOND, DISK_SOONEST, DISK_LATEST);
}

// Compares memory with its limit. Unmapped shared memory, which may be other programs', counts only
// if it and the box's processes exceed the limit and half of the machine's memory. Returns 0 to
// continue in the next turn.
static int64_t look_at_memory(const struct plan *plan, const struct watch_limits *watch,
			      const struct process_tree *tree, enum stop *ret_stop)
{
	uint64_t half, now = shared_now(&half);
	uint64_t limit = plan->profile->limits.memory, most = limit > half ? limit : half;
	uint64_t grown = now > watch->shared ? now - watch->shared : 0;
	uint64_t used = tree->memory, shared = 0;
	if ((used >= limit || used + grown >= most) && !tree_weigh(&used, &shared))
		return 0;
	if (used >= limit || used - shared + grown >= most) {
		*ret_stop = STOP_MEMORY;
		return LOOK_SOONEST;
	}
	uint64_t left = limit - used, other = most - (used - shared + grown);
	return between(left < other ? left : other, MEMORY_PER_MILLISECOND, LOOK_SOONEST,
		       LOOK_LATEST);
}

static int64_t sooner(int64_t left, int64_t right)
{
	return left < right ? left : right;
}

static int64_t look_at_processes(const struct plan *plan, struct run *run, enum stop *ret_stop)
{
	struct watch_limits *watch = &run->group->watch;
	uint64_t watched = plan->keeping.watched;
	int64_t wait = DISK_LATEST;
	static struct process_tree tree;
	bool walks = is_counted(plan) || (watched & (LIMIT_BIT(pids) | LIMIT_BIT(memory)));
	if (watch->walk == WALK_NONE)
		tree_begin(run->init);
	if (watch->walk != WALK_DONE && walks) {
		bool done = tree_step(&tree);
		watch->walk = done ? WALK_DONE : WALK_BEGUN;
		watch->pids = tree.threads > watch->pids ? tree.threads : watch->pids;
		if ((watched & LIMIT_BIT(pids)) && tree.threads > plan->profile->limits.pids)
			*ret_stop = STOP_PIDS;
		if (!done)
			return 0;
	}
	if (watched & LIMIT_BIT(memory))
		wait = look_at_memory(plan, watch, &tree, ret_stop);
	if (wait == 0)
		return 0;
	watch->walk = WALK_NONE;
	if (watched & LIMIT_BIT(pids))
		wait = sooner(wait, PIDS_EACH);
	if (is_counted(plan))
		wait = sooner(wait,
			      until_pids(plan->profile->limits.pids, watch->pids, tree.threads));
	int64_t rest = tree_spent() / 1000000 * REST_PARTS;
	return wait < rest ? rest : wait;
}

int watch_limits_look(const struct plan *plan, struct run *run, int64_t now, enum stop *ret_stop)
{
	struct watch_limits *watch = &run->group->watch;
	bool disks = plan->keeping.watched & LIMIT_BIT(disk);
	if (watch->next < 0)
		return -1;
	if (disks && now >= watch->disk_next)
		watch->disk_next = now + look_at_disks(plan, watch, ret_stop);
	if (now >= watch->next)
		watch->next = now + look_at_processes(plan, run, ret_stop);
	return (int)((disks ? sooner(watch->next, watch->disk_next) : watch->next) - now);
}

bool watch_limits_grew(const struct plan *plan, const struct run *run)
{
	enum { PARTS = 8 };
	const struct watch_limits *watch = &run->group->watch;
	struct statfs status;
	for (int i = 0; i < watch->disk_count; i++)
		if (fstatfs(watch->disks[i].fd, &status) == 0 &&
		    grew(plan->profile->limits.disk / PARTS * (PARTS - 1), watch->disks[i].space,
			 status.f_bavail * (uint64_t)status.f_bsize))
			return true;
	return false;
}

void watch_limits_end(struct run *run)
{
	struct watch_limits *watch = &run->group->watch;
	while (watch->disk_count > 0)
		close(watch->disks[--watch->disk_count].fd);
}
