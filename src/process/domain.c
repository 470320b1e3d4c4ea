// Owns tier landlock, a box without namespaces. A second filter refuses what Landlock does not
// cover (landlock.rst, "Current limitations"), or asks the supervisor.
#include "process/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "mount/mount.h"
#include "plan.h"
#include "run.h"
#include "seccomp/asking.h"
#include "view/paths/wishes.h"

#define ANSWER(error) (SECCOMP_RET_ERRNO | (error))
enum { TYPE_MASK = 0xf, WHO_PROCESS = 0, IO_WHO_PROCESS = 1, KILLS_MAX = 100000 };

#define MODE(network) (1U << (network))
enum {
	IN_ALL = MODE(NETWORK_NONE) | MODE(NETWORK_PROXY) | MODE(NETWORK_HOST),
	IN_NONE = MODE(NETWORK_NONE),
	IN_PROXY = MODE(NETWORK_PROXY),
	IN_HOST = MODE(NETWORK_HOST),
	IN_OWN = IN_NONE | IN_PROXY,
};

#define REQUEST(mask, value, answer)                                                               \
	{ "ioctl", 1, mask, (uint32_t)(value), ASKING_IS, answer, IN_ALL, 0 }
#define OWN_REQUEST(request) REQUEST(~0U, request, SECCOMP_RET_ALLOW)
#define NO_REQUESTS(letter)  REQUEST(0xff00, (letter) << 8, ANSWER(ENOTTY))

static const struct asking rows[] = {
	// The supervisor connects unix sockets. Datagram sockets are refused: each message may name
	// another receiver. With the host's network only socket pairs are allowed.
	{ "socket", 0, ~0U, AF_UNIX, ASKING_IS_NOT, ANSWER(EACCES), IN_NONE, 0 },
	{ "socket", 0, ~0U, AF_UNIX, ASKING_IS, ANSWER(EACCES), IN_HOST, 0 },
	{ "socket socketpair", 1, TYPE_MASK, SOCK_STREAM, ASKING_IS, SECCOMP_RET_ALLOW, IN_ALL,
	  AF_UNIX },
	{ "socket socketpair", 1, TYPE_MASK, SOCK_SEQPACKET, ASKING_IS, SECCOMP_RET_ALLOW, IN_ALL,
	  AF_UNIX },
	{ "socket socketpair", ASKING_ALWAYS, 0, 0, ASKING_IS, ANSWER(EACCES), IN_ALL, AF_UNIX },
	{ "connect", ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, IN_OWN, 0 },
	{ "bind", ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, IN_ALL, 0 },
	// The supervisor makes TCP connections. Other protocols, listeners, and data before the
	// connection are refused.
	{ "socket", 1, TYPE_MASK, SOCK_STREAM, ASKING_IS_NOT, ANSWER(EACCES), IN_PROXY, 0 },
	{ "socket", 2, ~0U, 0, ASKING_IS, SECCOMP_RET_ALLOW, IN_PROXY, 0 },
	{ "socket", 2, ~0U, IPPROTO_TCP, ASKING_IS_NOT, ANSWER(EPROTONOSUPPORT), IN_PROXY, 0 },
	{ "sendto sendmmsg", 3, MSG_FASTOPEN, MSG_FASTOPEN, ASKING_IS, ANSWER(EOPNOTSUPP), IN_PROXY,
	  0 },
	{ "sendmsg", 2, MSG_FASTOPEN, MSG_FASTOPEN, ASKING_IS, ANSWER(EOPNOTSUPP), IN_PROXY, 0 },
	{ "setsockopt", 2, ~0U, TCP_FASTOPEN_CONNECT, ASKING_IS, ANSWER(ENOPROTOOPT), IN_PROXY, 0 },
	{ "listen", ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, IN_PROXY, 0 },
	// System V IPC and POSIX queues are shared with the host.
	{ "shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl "
	  "mq_open "
	  "mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
	  ASKING_ALWAYS, 0, 0, ASKING_IS, ANSWER(ENOSYS), IN_ALL, 0 },
	{ "prlimit64 sched_setparam sched_setscheduler sched_setaffinity sched_setattr", 0, ~0U, 0,
	  ASKING_IS_NOT, ANSWER(EPERM), IN_ALL, 0 },
	{ "setpriority", 0, ~0U, WHO_PROCESS, ASKING_IS_NOT, ANSWER(EPERM), IN_ALL, 0 },
	{ "ioprio_set", 0, ~0U, IO_WHO_PROCESS, ASKING_IS_NOT, ANSWER(EPERM), IN_ALL, 0 },
	{ "setpriority ioprio_set", 1, ~0U, 0, ASKING_IS_NOT, ANSWER(EPERM), IN_ALL, 0 },
	// The kernel permits these calls with a read-only descriptor: the supervisor makes them
	// instead.
	{ "chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes futimesat "
	  "utimensat",
	  ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, IN_ALL, 0 },
	// cp -p sets the mode itself after EOPNOTSUPP.
	{ "setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr "
	  "removexattrat",
	  ASKING_ALWAYS, 0, 0, ASKING_IS, ANSWER(EOPNOTSUPP), IN_ALL, 0 },
	// Some ioctls change files through a read-only descriptor. Their letters (ioctl-number.rst)
	// are refused.
	OWN_REQUEST(FS_IOC_GETFLAGS),
	OWN_REQUEST(FS_IOC_GETVERSION),
	OWN_REQUEST(FS_IOC_FSGETXATTR),
	OWN_REQUEST(FS_IOC_FIEMAP),
	OWN_REQUEST(FICLONE),
	OWN_REQUEST(FICLONERANGE),
	NO_REQUESTS('f'), // all file systems, ext4, encryption, verity
	NO_REQUESTS('v'),
	NO_REQUESTS('X'),
	NO_REQUESTS('r'),
	NO_REQUESTS('n'),
	NO_REQUESTS(0x94),
	NO_REQUESTS(0x97),
	NO_REQUESTS(0xbc),
	NO_REQUESTS(0xcf),
	NO_REQUESTS(0xf5),
};

static const char *const losses[] = {
	"tier landlock: no private home, /tmp or /dev/shm, no limit on them, and no separate host "
	"name; paths that are not named are denied, not absent",
	"tier landlock: names, sizes and attributes of your files can be seen, and when one is "
	"opened or changed (inotify), and processes and their command lines in /proc",
	"tier landlock: caches and overlays are left out; protected names and hidden files below a "
	"writable directory are errors",
	"tier landlock: of unix sockets only named ones are reached; no datagrams, servers on TCP "
	"ports, "
	"System V memory or new terminals",
	"tier landlock: a connect to an allowed host succeeds before it is reached",
	"tier landlock: attributes and flags of files (setfattr, chattr) cannot be set",
	"tier landlock: the limit on processes is left out",
};

// Fails for a unix datagram socket: sendto() reaches any of the host's.
static int refuse_datagrams(int fd)
{
	int domain = 0, type = 0;
	socklen_t size = sizeof(int);
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0 || domain != AF_UNIX ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_DGRAM)
		return 0;
	return fail(0,
		    "tier landlock cannot pass descriptor %d: a unix datagram socket reaches every "
		    "such socket of the host",
		    fd);
}

static int refuse(const struct plan *plan)
{
	if (plan->landlock < 6)
		return fail(0,
			    "tier landlock needs Landlock ABI 6 (Linux 6.12), which confines "
			    "signals and abstract sockets; this kernel has ABI %d",
			    plan->landlock);
	if (plan->nested)
		return fail(0, "tier landlock cannot give namespaces inside");
	if (plan->snippet.path)
		return fail(0, "tier landlock shows no files of sbx's own: put the code in a file "
			       "of the project");
	if (plan->egress.publish_count)
		return fail(0,
			    "tier landlock cannot publish ports: the box has no separate network");
	if (plan->profile->network == NETWORK_HOST && plan->profile->socket.first)
		return fail(0, "tier landlock passes named sockets only with --network none");
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		TRY(refuse_datagrams(fd));
	for (unsigned i = 0; i < plan->keep_count; i++)
		TRY(refuse_datagrams(plan->keep[i]));
	struct mounts mounts = { 0 };
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		bool kept = mount->kind == MOUNT_COPY ||
			    (mount->kind == MOUNT_BIND && mount->on_host &&
			     mount->access == ACCESS_READ && mount->identity.type != S_IFSOCK);
		if (kept && !outer_keeps(plan, mount, &mounts))
			return fail(0,
				    "tier landlock cannot protect '%s' in a directory that is "
				    "writable; %s",
				    mount->target,
				    plan->inside && outer_gives_namespaces()
					    ? "here --isolation namespaces can"
					    : "add --project read, or --no-protect; in a box of "
					      "sbx: start the outer one with --allow-syscalls "
					      "namespaces");
	}
	return 0;
}

int domain_filter(struct plan *plan)
{
	return asking_compile(plan, rows, sizeof(rows) / sizeof(*rows),
			      MODE(plan->profile->network));
}

int domain_plan(struct plan *plan)
{
	uint64_t random;
	TRY(refuse(plan));
	TRY(asking_refuse_rings(plan));
	TRY(split_plan(plan));
	TRY(domain_filter(plan));
	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++)
		list_add(&plan->notes, plan->arena, losses[i], (struct origin){ .file = "tier" });
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return fail(errno, "getrandom");
	plan->temporary = arena_text(plan->arena, "/tmp/sbx-%u-%016llx", (unsigned)plan->uid,
				     (unsigned long long)random);
	return 0;
}

int domain_host(const struct plan *plan, struct run *run)
{
	TRY(run->temporary = owned_temporary(plan->temporary));
	return 0;
}

int domain_undo(const struct plan *plan, struct run *run)
{
	(void)run;
	if (plan->tier == TIER_LANDLOCK && plan->temporary)
		(void)ATTEMPT(owned_remove_tree(AT_FDCWD, plan->temporary));
	return 0;
}

int domain_child(const struct plan *plan, struct run *run)
{
	(void)plan;
	(void)run;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return fail(errno, "PR_SET_CHILD_SUBREAPER");
	// Without CAP_SYS_ADMIN landlock_restrict_self() needs no_new_privs.
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? fail(errno, "PR_SET_NO_NEW_PRIVS") : 0;
}

static int add_path(const struct plan *plan, int ruleset, const char *path,
		    const struct identity *identity, enum access access)
{
	autoclose int fd =
		sys_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (fd < 0 || (identity && !target_is_same(fd, identity)))
		return fail(ERR_CHANGED, "'%s' changed while the plan was made", path);
	bool directory = !identity || identity->type == S_IFDIR;
	return landlock_add(plan, ruleset, fd, access, directory);
}

int domain_rules(const struct plan *plan, int ruleset)
{
	TRY(add_path(plan, ruleset, "/proc", NULL, ACCESS_READ));
	TRY(add_path(plan, ruleset, plan->temporary, NULL, ACCESS_WRITE));
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (mount->kind == MOUNT_BIND && !mount->cache &&
		    !str_starts(mount->target, "/dev/console"))
			TRY(add_path(plan, ruleset, mount->source, &mount->identity,
				     mount->access));
	}
	return 0;
}

void domain_end(void)
{
	char path[64], text[4096];
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	for (int i = 0; i < KILLS_MAX; i++) {
		autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
		text[length > 0 ? length : 0] = '\0';
		for (char *at = text, *end; *at; at = end) {
			long pid = strtol(at, &end, 10);
			if (end == at)
				break;
			if (pid > 1)
				kill((pid_t)pid, SIGKILL);
		}
		if (waitpid(-1, NULL, __WALL) < 0 && errno == ECHILD)
			return;
	}
}
