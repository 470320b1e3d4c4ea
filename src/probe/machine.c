// Owns the knowledge of what disables protections on real systems, and how to enable them.
#include "probe/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "probe.h"
#include "process/ns.h"
#include "view/paths/wishes.h"

void probe_quick(struct probe *probe)
{
	probe->landlock = landlock_abi();
}

const char *probe_capabilities(struct arena *arena)
{
	const char *text = privileges_text(arena);
	return text ? text : "unreadable";
}

bool probe_may_guard(void)
{
	return privileges_have(CAP_SYS_ADMIN) ||
	       (privileges_have(CAP_BPF) && privileges_have(CAP_NET_ADMIN));
}

static long number_in(const char *path, long otherwise)
{
	char text[32];
	if (file_kernel(AT_FDCWD, path, text, sizeof(text)) == 0)
		return otherwise;
	return strtol(text, NULL, 10);
}

static bool is_confined_by_apparmor(void)
{
	char text[256];
	size_t length =
		file_kernel(AT_FDCWD, "/proc/self/attr/apparmor/current", text, sizeof(text));
	return length > 0 && strncmp(text, "unconfined", strlen("unconfined")) != 0;
}

static bool has_outer_filter(void)
{
	char text[8192];
	file_kernel(AT_FDCWD, "/proc/self/status", text, sizeof(text));
	return strstr(text, "\nSeccomp:\t2") != NULL;
}

// False if a Landlock domain around this process denies it.
static bool can_bind_port(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	autoclose int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof(any)) == 0;
}

struct cause {
	const char *step; // NULL: any step
	int error;        // 0: any error
	enum {
		SANDBOX,
		DOMAIN,
		NO_PORTS,
		APPARMOR,
		CONFINED,
		CLONE_SYSCTL,
		MOST_NAMESPACES,
		CONTAINER,
		CHROOT,
		BY_ROOT,
		ALWAYS
	} sign;
	const char *advice;
};

static const char apparmor[] =
	"AppArmor takes the rights of user namespaces away (as Ubuntu 23.10 and later do). Fix, in "
	"sbx's "
	"source: sudo install -m 644 profiles/apparmor/sbx /etc/apparmor.d/ && sudo "
	"apparmor_parser -r /etc/apparmor.d/sbx; or accept less: --isolation landlock";

static const char container[] =
	"the container's filter or its profile of AppArmor is in the way. Fix: start the container "
	"with "
	"--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt "
	"systempaths=unconfined (podman: unmask=ALL), see sbx-containers(7); or accept less: "
	"--isolation landlock";

static const char domain[] =
	"this is inside a sandbox without namespaces, such as a box of tier landlock, in which no "
	"other starts. Run the command without a second sbx, or start the outer one in tier full";

static const struct cause causes[] = {
	{ "namespaces", 0, SANDBOX,
	  "this is already an sbx box, where user namespaces are off. Start the outer one with "
	  "--allow-syscalls namespaces; or, where tier landlock will do, this one with --isolation "
	  "landlock" },
	{ "namespaces", 0, DOMAIN, domain },
	{ "answers", EBUSY, ALWAYS,
	  "the supervisor of the box around this one is asked about system calls already "
	  "(--explain, --refused-writes, sbx learn, --network host, tier landlock, a start in the "
	  "background of a "
	  "terminal), and the kernel allows one. Start the outer one without that, or run the "
	  "command without a second sbx" },
	{ "publish", EACCES, NO_PORTS, domain },
	{ "ids", EPERM, SANDBOX,
	  "this is already an sbx box, of a root caller: the kernel maps uid 0 for nobody without "
	  "the capability SETFCAP. Start this one with --isolation landlock, or both as an "
	  "ordinary "
	  "user" },
	{ "namespaces", 0, MOST_NAMESPACES,
	  "user.max_user_namespaces is 0. Fix: sudo sysctl -w user.max_user_namespaces=15000; or "
	  "accept less: --isolation landlock" },
	{ "namespaces", EPERM, CLONE_SYSCTL,
	  "kernel.unprivileged_userns_clone is 0. Fix: sudo sysctl -w "
	  "kernel.unprivileged_userns_clone=1" },
	{ "namespaces", EPERM, APPARMOR, apparmor }, // clone(2) with several namespaces
	{ "namespaces", 0, CONTAINER, container },
	{ "hostname", EPERM, CONTAINER, container },
	{ "namespaces", EACCES, CONFINED, container },
	{ "namespaces", EPERM, CONFINED, apparmor },
	{ "namespaces", ENOSPC, ALWAYS,
	  "too many namespaces are in use. Fix: sudo sysctl -w user.max_user_namespaces=15000" },
	{ "namespaces", ENOSYS, ALWAYS,
	  "this kernel has no clone3 with namespaces; 5.13 is needed" },
	{ "ids", 0, APPARMOR, apparmor },
	{ "ids", EPERM, BY_ROOT,
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
	  "--security-opt systempaths=unconfined (podman: unmask=ALL; devcontainer.json: these "
	  "two words in runArgs; Kubernetes: procMount: Unmasked in securityContext); or accept "
	  "less: --isolation landlock" },
	{ "lifeline", ENOENT, ALWAYS,
	  "there is no /proc. Fix: mount -t proc proc /proc, as the container or chroot is "
	  "started" },
	{ "root", ENOSYS, ALWAYS, "this kernel has no new mount calls; 5.13 is needed" },
	{ "filter", EINVAL, ALWAYS,
	  "this kernel is built without CONFIG_SECCOMP_FILTER; sbx does not run without it" },
	{ NULL, EMFILE, ALWAYS, "too few open files are allowed. Fix: ulimit -n 256" },
	{ "command", EAGAIN, ALWAYS,
	  "the limit on processes is too low for a first one. Fix: --pids" },
};

static bool holds(const struct cause *cause)
{
	struct stat own, first;
	switch (cause->sign) {
	case SANDBOX:
		return outer_is_box();
	case DOMAIN: // a guess, on which only messages depend
		return getenv("SBX") && has_outer_filter() && !can_bind_port();
	case NO_PORTS:
		return !can_bind_port();
	case APPARMOR:
		return number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) > 0;
	case CONFINED:
		return is_confined_by_apparmor();
	case CLONE_SYSCTL:
		return number_in("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0;
	case MOST_NAMESPACES:
		return number_in("/proc/sys/user/max_user_namespaces", 1) == 0;
	case CONTAINER:
		return has_outer_filter();
	case CHROOT:
		return stat("/", &own) == 0 && stat("/proc/1/root", &first) == 0 &&
		       (own.st_ino != first.st_ino || own.st_dev != first.st_dev);
	case BY_ROOT:
		return geteuid() == 0 && !privileges_have(CAP_SETFCAP);
	case ALWAYS:
		return true;
	}
	return false;
}

const char *probe_advice(const char *step, int error)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		const struct cause *cause = &causes[i];
		if ((!cause->step || str_equal(cause->step, step)) &&
		    (!cause->error || cause->error == error) && holds(cause))
			return cause->advice;
	}
	return NULL;
}
