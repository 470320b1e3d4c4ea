// Owns the dropping of privileges: by libcap before the clone, by raw calls after it.
#include "process/ns.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"

int caps_host(const struct plan *plan, struct run *run)
{
	(void)plan;
	(void)run;
	return privileges_pass_none() < 0 ? fail(errno, "empty the capability sets") : 0;
}

// Uses raw calls: pid 1 must not allocate memory, but each function of libcap does.
static int drop_sets(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct nothing[2] = { { 0 } };
	if (syscall(SYS_capset, &header, nothing) < 0)
		return fail(errno, "capset");
	// Pid 1 has a copy of the supervisor's memory, which no process of the box may read.
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return fail(errno, "PR_SET_DUMPABLE");
	return 0;
}

int caps_child(const struct plan *plan, struct run *run)
{
	(void)run;
	// Uid 0 never gets capabilities in the box.
	unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
			     SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
			     SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail(errno, "PR_SET_NO_NEW_PRIVS");
	// Without a user namespace an ordinary user lacks CAP_SETPCAP.
	if (plan->tier == TIER_LANDLOCK && prctl(PR_CAPBSET_DROP, CAP_CHOWN, 0, 0, 0) < 0)
		return drop_sets();
	if (prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0)
		return fail(errno, "PR_SET_SECUREBITS");
	for (unsigned long capability = 0; capability < 64; capability++)
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) {
			if (errno == EINVAL && capability > CAP_AUDIT_READ)
				break;
			return fail(errno, "PR_CAPBSET_DROP %lu", capability);
		}
	return drop_sets();
}
