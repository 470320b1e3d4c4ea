// Owns the knowledge of what takes walls away on real systems, and what gives them back.
#include "jail/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "jail/landlock.h"
#include "probe.h"

void probe_quick(struct probe *probe)
{
	probe->landlock = landlock_abi();
}

// The number in a one-line file of /proc, or `otherwise`.
static long number_in(const char *path, long otherwise)
{
	char text[32];
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : fd_read_all(fd, text, sizeof(text) - 1);
	if (length <= 0)
		return otherwise;
	text[length] = '\0';
	return strtol(text, NULL, 10);
}

// A profile of AppArmor is on us: "name (enforce)".
static bool confined(void)
{
	char text[256];
	autoclose int fd = open("/proc/self/attr/apparmor/current", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : fd_read_all(fd, text, sizeof(text) - 1);
	return length > 0 && strncmp(text, "unconfined", strlen("unconfined")) != 0;
}

// Another filter is active: a container's, or that of a box around this one.
static bool filtered(void)
{
	char text[8192];
	autoclose int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : fd_read_all(fd, text, sizeof(text) - 1);
	if (length <= 0)
		return false;
	text[length] = '\0';
	return strstr(text, "\nSeccomp:\t2") != NULL;
}

bool probe_in_box(void)
{
	struct statfs root;
	bool ours =
		statfs("/", &root) == 0 && root.f_type == TMPFS_MAGIC && (root.f_flags & ST_RDONLY);
	// A variable alone, which a project may set for an agent, proves nothing.
	return ours && getenv("SBX") && filtered();
}

struct cause {
	const char *step;
	int error; // 0: any
	enum {
		SANDBOX,
		APPARMOR,
		CONFINED,
		CLONE_SYSCTL,
		MOST_NAMESPACES,
		CONTAINER,
		CHROOT,
		ROOT,
		ALWAYS
	} sign;
	const char *advice;
};

static const char apparmor[] =
	"AppArmor takes the rights of user namespaces away (as Ubuntu 23.10 and later do). Fix, in "
	"sbx's "
	"source: sudo install -m 644 profiles/apparmor/sbx /etc/apparmor.d/ && sudo "
	"apparmor_parser -r /etc/apparmor.d/sbx; or accept less: --tier landlock";

static const char container[] =
	"the container's filter or its profile of AppArmor is in the way. Fix: start the container "
	"with "
	"--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt "
	"systempaths=unconfined (podman: unmask=ALL), see sbx-containers(7); or accept less: "
	"--tier landlock";

static const struct cause causes[] = {
	{ "namespaces", 0, SANDBOX,
	  "this is already an sbx box, where user namespaces are off. Start the outer one with "
	  "--allow-syscalls namespaces, or run the command without a second sbx" },
	{ "namespaces", 0, MOST_NAMESPACES,
	  "user.max_user_namespaces is 0. Fix: sudo sysctl -w user.max_user_namespaces=15000; or "
	  "accept less: --tier landlock" },
	{ "namespaces", EPERM, CLONE_SYSCTL,
	  "kernel.unprivileged_userns_clone is 0. Fix: sudo sysctl -w "
	  "kernel.unprivileged_userns_clone=1" },
	{ "namespaces", EPERM, APPARMOR, apparmor }, // with the other namespaces in the same clone
	{ "namespaces", 0, CONTAINER, container },
	{ "hostname", EPERM, CONTAINER, container },
	{ "namespaces", EACCES, CONFINED, container },
	{ "namespaces", EPERM, CONFINED, apparmor },
	{ "namespaces", ENOSPC, ALWAYS,
	  "too many namespaces are in use. Fix: sudo sysctl -w user.max_user_namespaces=15000" },
	{ "namespaces", ENOSYS, ALWAYS,
	  "this kernel has no clone3 with namespaces; 5.13 is needed" },
	{ "ids", 0, APPARMOR, apparmor },
	{ "ids", EPERM, ROOT,
	  "uid 0 without the capability SETFCAP cannot be mapped. Fix: run as an ordinary user of "
	  "the "
	  "container (--user 1000), or with --cap-add SETFCAP" },
	{ "hostname", EPERM, APPARMOR, apparmor },
	{ "join", EPERM, APPARMOR, apparmor },
	{ "root", EPERM, APPARMOR, apparmor },
	{ "namespaces", EPERM, CHROOT,
	  "this is a chroot, where the kernel makes no user namespaces. Fix: pivot_root instead" },
	{ "pivot", EINVAL, ALWAYS,
	  "the root is an initramfs, which cannot be left. Fix: switch_root to another first" },
	{ "view", EPERM, ALWAYS,
	  "parts of this /proc are mounted over, as containers do. Fix: start the container with "
	  "--security-opt systempaths=unconfined (podman: unmask=ALL)" },
	{ "root", ENOSYS, ALWAYS, "this kernel has no new mount calls; 5.13 is needed" },
	{ "filter", EINVAL, ALWAYS,
	  "this kernel is built without CONFIG_SECCOMP_FILTER; sbx does not run without it" },
	{ "namespaces", EMFILE, ALWAYS, "too few open files are allowed. Fix: ulimit -n 256" },
	{ "view", EMFILE, ALWAYS, "too few open files are allowed. Fix: ulimit -n 256" },
	{ "command", EAGAIN, ALWAYS,
	  "the limit on processes is too low for a first one. Fix: --pids" },
};

static bool holds(const struct cause *cause)
{
	struct stat own, first;
	switch (cause->sign) {
	case SANDBOX:
		return probe_in_box();
	case APPARMOR:
		return number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) > 0;
	case CONFINED:
		return confined();
	case CLONE_SYSCTL:
		return number_in("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0;
	case MOST_NAMESPACES:
		return number_in("/proc/sys/user/max_user_namespaces", 1) == 0;
	case CONTAINER:
		return filtered();
	case CHROOT:
		return stat("/", &own) == 0 && stat("/proc/1/root", &first) == 0 &&
		       (own.st_ino != first.st_ino || own.st_dev != first.st_dev);
	case ROOT:
		return geteuid() == 0;
	case ALWAYS:
		return true;
	}
	return false;
}

const char *probe_advice(const char *step, int error)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		const struct cause *cause = &causes[i];
		if (str_equal(cause->step, step) && (!cause->error || cause->error == error) &&
		    holds(cause))
			return cause->advice;
	}
	return NULL;
}
