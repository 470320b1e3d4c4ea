// Owns the tables of paths that are in every view.
#include "view/paths/wishes.h"

#include <stddef.h>

// The parts of /dev that programs expect. Since Linux 5.18 random is the same device as urandom,
// and a link takes a sixth of a mount's time.
const struct fixed fixed_devices[] = {
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/null", "/dev/null", EVERYBODY },
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/zero", "/dev/zero", EVERYBODY },
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/full", "/dev/full", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/random", "urandom", EVERYBODY },
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/urandom", "/dev/urandom", EVERYBODY },
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/tty", "/dev/tty", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/fd", "/proc/self/fd", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/stdin", "/proc/self/fd/0", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/stdout", "/proc/self/fd/1", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/stderr", "/proc/self/fd/2", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/ptmx", "pts/ptmx", EVERYBODY },
	{ MOUNT_PTS, ACCESS_DEVICE, "/dev/pts", NULL, EVERYBODY },
	{ MOUNT_PROC, ACCESS_WRITE, "/proc", NULL, EVERYBODY },
};
const unsigned fixed_device_count = sizeof(fixed_devices) / sizeof(*fixed_devices);

// Parts of /proc that lead out of the box. Most open for uid 0 only: a root caller's box gets
// mounts over them.
const struct fixed fixed_proc_walls[] = {
	{ MOUNT_SELF, ACCESS_READ, "/proc/sys", NULL, ROOT },
	{ MOUNT_SELF, ACCESS_READ, "/proc/sysrq-trigger", NULL, ROOT },
	{ MOUNT_SELF, ACCESS_READ, "/proc/irq", NULL, ROOT },
	{ MOUNT_SELF, ACCESS_READ, "/proc/bus", NULL, ROOT },
	{ MOUNT_SELF, ACCESS_READ, "/proc/fs", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/acpi", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/scsi", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/kcore", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/keys", NULL, EVERYBODY },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/key-users", NULL, EVERYBODY },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/timer_list", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/sched_debug", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/latency_stats", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/kpagecount", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/kpageflags", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/kpagecgroup", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/slabinfo", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/vmallocinfo", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/pagetypeinfo", NULL, ROOT },
};
const unsigned fixed_proc_wall_count = sizeof(fixed_proc_walls) / sizeof(*fixed_proc_walls);
