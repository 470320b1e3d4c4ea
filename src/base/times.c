// Owns the list of file systems whose times are from this kernel's clock.
#include "base/base.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <time.h>

#include "base/sys.h"

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t times_now(void)
{
	return read_clock(CLOCK_REALTIME);
}

int times_left(int64_t until, int milliseconds)
{
	int64_t left = until - steady_now();
	if (!until || (milliseconds >= 0 && milliseconds <= left))
		return milliseconds;
	return left > 0 ? (int)left : 0;
}

struct timespec times_of(int64_t nanoseconds)
{
	const int64_t second = 1000000000;
	return (struct timespec){ nanoseconds / second, nanoseconds % second };
}

void times_stamp(int64_t milliseconds, char stamp[TIMES_STAMP])
{
	struct tm date;
	time_t seconds = (time_t)(milliseconds / 1000);
	gmtime_r(&seconds, &date);
	size_t used = strftime(stamp, TIMES_STAMP, "%Y-%m-%dT%H:%M:%S", &date);
	snprintf(stamp + used, TIMES_STAMP - used, ".%03dZ", (int)(milliseconds % 1000));
}

bool times_are_ours(const char *path)
{
	// linux/magic.h lacks zfs, bcachefs and ntfs3.
	static const unsigned ours[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,
					 TMPFS_MAGIC,      F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC,
					 RAMFS_MAGIC,      0x2fc12fc1U,      0xca451a4eU,
					 0x7366746eU };
	struct sys_statx born;
	struct statfs status;
	if (statfs(path, &status) < 0)
		return false;
	// ext4 inodes of 128 bytes (from ext3) have whole seconds, and no birth time.
	if ((unsigned)status.f_type == EXT4_SUPER_MAGIC &&
	    (sys_statx(AT_FDCWD, path, SYS_STATX_BIRTH, &born) < 0 ||
	     !(born.mask & SYS_STATX_BIRTH)))
		return false;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if ((unsigned)status.f_type == ours[i])
			return true;
	return false;
}
