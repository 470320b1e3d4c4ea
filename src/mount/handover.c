// Owns the last check of the protected mounts from inside, and the descriptors that the host side
// needs to watch the project.
#include "mount/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"

bool hold_reports(const struct plan *plan)
{
	return plan->tier == TIER_FULL && (plan->place_count > 0 || plan->dangling ||
					   plan->profile->minimum != TIER_FULL || plan->session);
}

// Checks that protected mounts exist: a host program that replaces a file removes mounts on it.
int hold_child(const struct plan *plan, struct run *run)
{
	struct sys_statx status;
	(void)run;
	if (!hold_reports(plan))
		return 0;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (!mount->on_host || (mount->access == ACCESS_WRITE && mount->kind != MOUNT_COPY))
			continue;
		if (sys_statx(AT_FDCWD, mount->target, 0, &status) < 0 ||
		    !(status.attributes & SYS_STATX_MOUNT_ROOT))
			return fail(ERR_CHANGED, "'%s' was replaced while the box was made",
				    mount->target);
	}
	return 0;
}

// Passes descriptors of the box's copies and namespaces. None of them leads out of the box.
int handover_child(const struct plan *plan, struct run *run)
{
	int fds[FD_PASSED] = { run->user, run->view, -1, -1 };
	unsigned count = 2;
	if (!hold_reports(plan))
		return 0;
	if (plan->copy_count > 0)
		fds[count++] = target_mount(plan, run, COPIES_DIRECTORY);
	if (plan->dangling)
		fds[count++] = run->dangling_link;
	run->message.kind = MESSAGE_HELD;
	return fd_send(run->to_host, &run->message, sizeof(run->message), fds, count) < 0
		       ? fail(errno, "hand descriptors over")
		       : 0;
}
