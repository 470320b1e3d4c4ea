// Owns the list of file systems whose times are the kernel's own.
#include "guard/clock.h"

#include <linux/magic.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "plan.h"

int64_t clock_of_files(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool clock_is_ours(const char *path)
{
	// Those that linux/magic.h lacks: zfs, bcachefs, ntfs3.
	static const unsigned ours[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,
					 TMPFS_MAGIC,      F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC,
					 RAMFS_MAGIC,      0x2fc12fc1U,      0xca451a4eU,
					 0x7366746eU };
	struct statfs status;
	if (statfs(path, &status) < 0)
		return false;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if ((unsigned)status.f_type == ours[i])
			return true;
	return false;
}

// Whoever sets the clock back makes what is new look old: then everything is looked at.
struct timespec clock_start(const struct plan *plan)
{
	enum { SLACK_MILLISECONDS = 20 };
	struct timespec now, steady, never = { 0 };
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	clock_gettime(CLOCK_MONOTONIC_COARSE, &steady);
	int64_t by_clock = (now.tv_sec - plan->start.tv_sec) * 1000 +
			   (now.tv_nsec - plan->start.tv_nsec) / 1000000;
	int64_t in_truth = (steady.tv_sec - plan->start_steady.tv_sec) * 1000 +
			   (steady.tv_nsec - plan->start_steady.tv_nsec) / 1000000;
	return by_clock + SLACK_MILLISECONDS < in_truth ? never : plan->start;
}

static bool is_after(const struct timespec *time, const struct timespec *start)
{
	return time->tv_sec > start->tv_sec ||
	       (time->tv_sec == start->tv_sec && time->tv_nsec > start->tv_nsec);
}

// Files are stamped by a clock that stands still for up to 10 ms. Since Linux 6.13 a file whose
// time was asked for gets an exact one with a change in the same tick, and no other file gets one
// before that.
static bool has_exact(int fd, const struct timespec *start)
{
	enum { OWN = 0600, CHANGES = 3 };
	struct stat status;
	for (int i = 0; i < CHANGES && fd >= 0; i++)
		if (fchmod(fd, OWN) < 0 || fstat(fd, &status) < 0)
			return false;
		else if (is_after(&status.st_ctim, start))
			return true;
	return false;
}

void clock_pass(struct plan *plan, int fd)
{
	enum { TRIES_MOST = 100 };
	struct timespec now, pause = { .tv_nsec = 300000 };
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	if (is_after(&now, &plan->start) || has_exact(fd, &plan->start))
		return;
	for (int i = 0; i < TRIES_MOST && !is_after(&now, &plan->start); i++) {
		nanosleep(&pause, NULL);
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
	}
	if (!is_after(&now, &plan->start)) // it was set back
		plan->start = now;
}
