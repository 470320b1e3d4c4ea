// Owns the list of system calls. Others get ENOSYS, as on an older kernel. Groups after the third
// are off unless a profile names them.
#include "seccomp/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/falloc.h>
#include <linux/net.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/base.h"

const struct syscall_group syscall_groups[] = {
	{ "base", VERDICT_ALLOW, "calls that ordinary programs need",
	  "read write open close stat fstat lstat poll lseek pread64 pwrite64 readv writev preadv "
	  "pwritev preadv2 pwritev2 access pipe pipe2 select pselect6 ppoll dup dup2 dup3 sendfile "
	  "flock fsync fdatasync truncate ftruncate getdents getdents64 getcwd chdir fchdir "
	  "rename renameat renameat2 mkdir mkdirat rmdir creat link linkat unlink unlinkat symlink "
	  "symlinkat readlink readlinkat chmod fchmod fchmodat fchmodat2:452 chown fchown lchown "
	  "fchownat umask utime utimes futimesat utimensat mknod mknodat openat openat2 faccessat "
	  "faccessat2 newfstatat statx statfs fstatfs sync syncfs sync_file_range fallocate "
	  "fadvise64 readahead splice tee copy_file_range setxattr lsetxattr fsetxattr "
	  "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr "
	  "fremovexattr setxattrat:463 getxattrat:464 listxattrat:465 removexattrat:466 "
	  "inotify_init inotify_init1 inotify_add_watch inotify_rm_watch close_range cachestat:451 "
	  "memfd_create file_getattr:468 "
	  "mmap mprotect munmap brk mremap msync mincore madvise process_madvise process_mrelease "
	  "mlock munlock mlockall munlockall mlock2 remap_file_pages pkey_mprotect pkey_alloc "
	  "pkey_free membarrier mbind set_mempolicy get_mempolicy set_mempolicy_home_node:450 "
	  "map_shadow_stack:453 mseal:462 arch_prctl "
	  "fork vfork execve execveat exit exit_group wait4 waitid getpid getppid gettid getpgid "
	  "getpgrp setpgid getsid setsid getuid geteuid getgid getegid getresuid getresgid setuid "
	  "setgid setreuid setregid setresuid setresgid setfsuid setfsgid getgroups setgroups "
	  "capget "
	  "capset seccomp kill tkill tgkill rt_sigaction rt_sigprocmask rt_sigreturn "
	  "rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_tgsigqueueinfo rt_sigsuspend "
	  "sigaltstack "
	  "pause alarm signalfd signalfd4 eventfd eventfd2 pidfd_open pidfd_send_signal "
	  "restart_syscall rseq getcpu futex futex_waitv:449 futex_wake:454 futex_wait:455 "
	  "futex_requeue:456 set_robust_list get_robust_list set_tid_address set_thread_area "
	  "get_thread_area landlock_create_ruleset landlock_add_rule landlock_restrict_self "
	  "sched_yield sched_getparam sched_getscheduler "
	  "sched_get_priority_max sched_get_priority_min sched_rr_get_interval "
	  "sched_getaffinity sched_getattr getpriority "
	  "ioprio_get getrlimit getrusage sysinfo times uname nanosleep "
	  "clock_nanosleep clock_gettime clock_getres gettimeofday time getitimer setitimer "
	  "timer_create timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create "
	  "timerfd_settime timerfd_gettime getrandom "
	  "connect accept accept4 bind listen getsockname getpeername sendto recvfrom sendmsg "
	  "recvmsg "
	  "sendmmsg recvmmsg shutdown getsockopt epoll_create epoll_create1 epoll_ctl epoll_wait "
	  "epoll_pwait epoll_pwait2 shmget shmat shmctl shmdt semget semop semctl semtimedop "
	  "msgget "
	  "msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify "
	  "mq_getsetattr io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents" },
	{ "refused", VERDICT_REFUSE, "known calls that get EPERM: programs expect that answer",
	  "mount umount2 pivot_root chroot unshare setns open_tree move_mount fsopen fsconfig "
	  "fsmount "
	  "fspick mount_setattr open_tree_attr:467 open_by_handle_at name_to_handle_at bpf "
	  "perf_event_open userfaultfd keyctl add_key request_key kexec_load kexec_file_load "
	  "init_module finit_module delete_module reboot swapon swapoff acct settimeofday "
	  "clock_settime clock_adjtime adjtimex iopl ioperm quotactl quotactl_fd syslog vhangup "
	  "sethostname setdomainname fanotify_init fanotify_mark move_pages migrate_pages "
	  "lookup_dcookie ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd "
	  "io_uring_setup "
	  "io_uring_enter io_uring_register modify_ldt vmsplice ustat" },
	{ "checked", VERDICT_CHECK, "calls that are allowed by their arguments",
	  "ioctl fcntl socket socketpair clone personality setsockopt setrlimit prlimit64 "
	  "setpriority sched_setparam sched_setscheduler sched_setaffinity sched_setattr "
	  "ioprio_set prctl" },
	{ "ptrace", VERDICT_ALLOW, "debuggers and tracers (gdb, strace) on the box's own processes",
	  "ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd" },
	{ "namespaces", VERDICT_ALLOW,
	  "user namespaces and mounts inside, for nested sandboxes; leaves Landlock out",
	  "mount umount2 pivot_root chroot unshare setns open_tree move_mount fsopen fsconfig "
	  "fsmount "
	  "fspick mount_setattr sethostname setdomainname clone clone3" },
	{ "io_uring", VERDICT_ALLOW,
	  "asynchronous io by rings; a large kernel surface, and what a ring does passes no "
	  "filter: it makes sockets of every family",
	  "io_uring_setup io_uring_enter io_uring_register" },
	{ "perf", VERDICT_ALLOW, "perf events, as far as kernel.perf_event_paranoid lets a user",
	  "perf_event_open" },
	{ "keyring", VERDICT_ALLOW, "the kernel's keyrings; they are not private to the box",
	  "keyctl add_key request_key" },
	{ "owners", VERDICT_CHECK,
	  "chown to foreign ids fails as it would outside; on wherever there is a user namespace",
	  "chown fchown lchown fchownat" },
	{ "unallocated", VERDICT_CHECK,
	  "space that is asked for ahead is unsupported (holes can be made); on wherever the limit "
	  "disk is "
	  "enforced",
	  "fallocate" },
	{ "buffered", VERDICT_CHECK,
	  "writes around the page cache, which the kernel does not interrupt, are unsupported; on "
	  "wherever the limit disk is strict",
	  "open openat openat2" },
	{ "as-root", VERDICT_PRETEND,
	  "owners and ids that programs set: answered with success, and nothing happens; sessions "
	  "as root",
	  "chown fchown lchown fchownat setgroups setuid setgid setreuid setregid setresuid "
	  "setresgid" },
};
const unsigned syscall_group_count = sizeof(syscall_groups) / sizeof(*syscall_groups);

#define REFUSE       (SECCOMP_RET_ERRNO | EPERM)
#define PRETEND      (SECCOMP_RET_ERRNO | 0)
#define INVALID      (SECCOMP_RET_ERRNO | EINVAL)
#define UNSUPPORTED  (SECCOMP_RET_ERRNO | EOPNOTSUPP)
#define ANY          0xffffffffU
#define NOT_A_FAMILY (SECCOMP_RET_ERRNO | EAFNOSUPPORT)
#define RULES(...)                                                                                 \
	.rules = { __VA_ARGS__ },                                                                  \
	.rule_count = sizeof((struct syscall_rule[]){ __VA_ARGS__ }) / sizeof(struct syscall_rule)

// <asm/ioctls.h> differs by C library.
enum {
	IOCTL_STI = 0x5412,
	IOCTL_LINUX = 0x541c,
	IOCTL_SET_DISCIPLINE = 0x5423,
	IOCTL_EXCLUSIVE = 0x540c
};
enum {
	IOCTL_CONSOLE = 0x4b00,
	IOCTL_VIRTUAL_TERMINAL = 0x5600
}; // KD... and VT... of ioctl_console(2)
#define NOT_A_PROTOCOL   (SECCOMP_RET_ERRNO | EPROTONOSUPPORT)
#define NO_KIND(kind)    { 0xf, kind, SECCOMP_RET_ERRNO | ESOCKTNOSUPPORT }
#define KIND             0xffffff00U
#define GET_OR_SET       0xfffffffeU
#define PROTOCOL(number) { ANY, number, SECCOMP_RET_ALLOW }
// FS_IOC_RESVSP...: <linux/falloc.h> does not export their structure.
enum { IOCTL_RESERVE = 0x40305828, IOCTL_RESERVE_64 = 0x4030582a, IOCTL_ZERO_RANGE = 0x40305839 };
enum { LIMIT_OF_CORES = 4, IOPRIO_OF_GROUP = 2, PRCTL_SCHED_CORE = 62 };
enum { FCNTL_SET_LEASE = 1024, FCNTL_SET_DELEGATION = 1040 };
enum { FAMILY_INET = 2, FAMILY_INET6 = 10, FAMILY_NETLINK = 16, PROTOCOL_ROUTE = 0, LEVEL_TCP = 6 };
enum {
	OPTION_TCP_MD5 = 14,
	OPTION_TCP_ULP = 31,
	OPTION_TCP_MD5_PREFIX = 32,
	OPTION_TCP_AO_KEY = 38
};
enum { PERSONALITY_NO_RANDOM = 0x40000, PERSONALITY_SHORT = 0x20000 };
enum { OVERFLOW_ID = 65534 };
#define SAME_ID 0xffffffffU
#define GROUP_OF(call_, at, owner)                                                                 \
	{ .call = call_,                                                                           \
	  .guarded = true,                                                                         \
	  .guard_argument = at,                                                                    \
	  .guard_value = owner,                                                                    \
	  .argument = (at) + 1,                                                                    \
	  .otherwise = REFUSE,                                                                     \
	  RULES({ ANY, SAME_ID, SECCOMP_RET_ALLOW }, { ANY, OWN_GID, SECCOMP_RET_ALLOW },          \
		{ ANY, OVERFLOW_ID, PRETEND }) }
#define OWNER_OF(call_, at)                                                                        \
	GROUP_OF(call_, at, SAME_ID), GROUP_OF(call_, at, OWN_UID),                                \
	{                                                                                          \
		.call = call_, .argument = at, .otherwise = REFUSE                                 \
	}
#define NOT_THE_FIRST(call_)                                                                       \
	{ .call = call_, .argument = 0, .otherwise = SECCOMP_RET_ALLOW, RULES({ ANY, 1, REFUSE }) }
#define NEW_ANYTHING                                                                               \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
	 CLONE_NEWCGROUP)

const struct syscall_check syscall_checks[] = {
	// TIOCSTI and TIOCLINUX type into the terminal (CVE-2017-5226). The kernel reads 32 bits.
	{ .call = "ioctl",
	  .argument = 1,
	  .otherwise = SECCOMP_RET_ALLOW,
	  RULES({ ANY, IOCTL_STI, REFUSE }, { ANY, IOCTL_LINUX, REFUSE },
		{ ANY, IOCTL_SET_DISCIPLINE, REFUSE },
		// TIOCEXCL outlives the box. The next two change a virtual console.
		{ ANY, IOCTL_EXCLUSIVE, REFUSE }, { KIND, IOCTL_CONSOLE, REFUSE },
		{ KIND, IOCTL_VIRTUAL_TERMINAL, REFUSE },
		// A snapshot would show hidden files. SNAP_DESTROY_V2 removes one by its id.
		{ ANY, BTRFS_IOC_SNAP_CREATE, REFUSE }, { ANY, BTRFS_IOC_SNAP_CREATE_V2, REFUSE },
		{ ANY, BTRFS_IOC_SNAP_DESTROY_V2, REFUSE },
		// The next requests load host drivers of bridges and VLANs before the kernel checks
		// rights.
		{ GET_OR_SET, SIOCGIFBR, REFUSE }, { GET_OR_SET, SIOCBRADDBR, REFUSE },
		{ GET_OR_SET, SIOCGIFVLAN, REFUSE }, { ANY, IOCTL_RESERVE, UNSUPPORTED },
		{ ANY, IOCTL_RESERVE_64, UNSUPPORTED }, { ANY, IOCTL_ZERO_RANGE, UNSUPPORTED },
		// Each typed key would signal the foreground group, perhaps the caller's. Servers
		// such as nginx work without FIOASYNC.
		{ ANY, FIOASYNC, PRETEND }) },
	// One call can take any space. If it fails, programs write instead.
	{ .call = "fallocate",
	  .argument = 1,
	  .otherwise = UNSUPPORTED,
	  RULES({ FALLOC_FL_PUNCH_HOLE, FALLOC_FL_PUNCH_HOLE, SECCOMP_RET_ALLOW }) },
	// An O_DIRECT write of up to 2 GiB continues after SIGKILL. No filter sees openat2's flags.
	{ .call = "open",
	  .argument = 1,
	  .otherwise = SECCOMP_RET_ALLOW,
	  RULES({ O_DIRECT, O_DIRECT, INVALID }) },
	{ .call = "openat",
	  .argument = 2,
	  .otherwise = SECCOMP_RET_ALLOW,
	  RULES({ O_DIRECT, O_DIRECT, INVALID }) },
	{ .call = "openat2", .argument = 0, .otherwise = SECCOMP_RET_ERRNO | ENOSYS },
	{ .call = "fcntl",
	  .guarded = true,
	  .guard_argument = 1,
	  .guard_value = F_SETFL,
	  .argument = 2,
	  .otherwise = CHECK_NEXT,
	  RULES({ O_DIRECT, O_DIRECT, INVALID }, { O_ASYNC, O_ASYNC, REFUSE }) },
	// A lease makes the host's next open wait for up to fs.lease-break-time, 45 s.
	{ .call = "fcntl",
	  .argument = 1,
	  .otherwise = SECCOMP_RET_ALLOW,
	  RULES({ ANY, FCNTL_SET_LEASE, REFUSE }, { ANY, FCNTL_SET_DELEGATION, REFUSE }) },
	// The network namespace does not isolate vsock, packet, alg and the rest.
	{ .call = "socket",
	  .argument = 0,
	  .otherwise = NOT_A_FAMILY,
	  RULES({ ANY, AF_UNIX, SECCOMP_RET_ALLOW }) },
	// getaddrinfo and getifaddrs use NETLINK_ROUTE.
	{ .call = "socket",
	  .guarded = true,
	  .guard_argument = 0,
	  .guard_value = FAMILY_NETLINK,
	  .argument = 2,
	  .otherwise = NOT_A_FAMILY,
	  RULES({ ANY, PROTOCOL_ROUTE, SECCOMP_RET_ALLOW }) },
	{ .call = "socket",
	  .guarded = true,
	  .guard_argument = 0,
	  .guard_value = FAMILY_INET,
	  .argument = 1,
	  .otherwise = CHECK_NEXT,
	  RULES(NO_KIND(SOCK_RDM), NO_KIND(SOCK_SEQPACKET), NO_KIND(SOCK_DCCP),
		NO_KIND(SOCK_PACKET)) },
	{ .call = "socket",
	  .guarded = true,
	  .guard_argument = 0,
	  .guard_value = FAMILY_INET6,
	  .argument = 1,
	  .otherwise = CHECK_NEXT,
	  RULES(NO_KIND(SOCK_RDM), NO_KIND(SOCK_SEQPACKET), NO_KIND(SOCK_DCCP),
		NO_KIND(SOCK_PACKET)) },
	// SCTP, DCCP, L2TP and the rest are modules that are loaded on demand (CVE-2017-6074,
	// CVE-2021-23133).
	{ .call = "socket",
	  .guarded = true,
	  .guard_argument = 0,
	  .guard_value = FAMILY_INET,
	  .argument = 2,
	  .otherwise = NOT_A_PROTOCOL,
	  RULES(PROTOCOL(0), PROTOCOL(1), PROTOCOL(6), PROTOCOL(17)) },
	{ .call = "socket",
	  .guarded = true,
	  .guard_argument = 0,
	  .guard_value = FAMILY_INET6,
	  .argument = 2,
	  .otherwise = NOT_A_PROTOCOL,
	  RULES(PROTOCOL(0), PROTOCOL(58), PROTOCOL(6), PROTOCOL(17)) },
	{ .call = "socketpair",
	  .argument = 0,
	  .otherwise = NOT_A_FAMILY,
	  RULES({ ANY, AF_UNIX, SECCOMP_RET_ALLOW }) },
	// Most kernel exploits of the last years begin with a namespace.
	{ .call = "clone",
	  .argument = 0,
	  .otherwise = REFUSE,
	  RULES({ NEW_ANYTHING, 0, SECCOMP_RET_ALLOW }) },
	{ .call = "personality",
	  .argument = 0,
	  .otherwise = REFUSE,
	  RULES({ ANY, 0, SECCOMP_RET_ALLOW }, { ANY, ANY, SECCOMP_RET_ALLOW },
		{ ANY, PERSONALITY_NO_RANDOM, SECCOMP_RET_ALLOW },
		{ ANY, PERSONALITY_SHORT, SECCOMP_RET_ALLOW },
		{ ANY, PERSONALITY_SHORT | PERSONALITY_NO_RANDOM, SECCOMP_RET_ALLOW }) },
	// Kernel TLS, other upper layers, signed segments: modules with many bugs.
	{ .call = "setsockopt",
	  .guarded = true,
	  .guard_argument = 1,
	  .guard_value = LEVEL_TCP,
	  .argument = 2,
	  .otherwise = SECCOMP_RET_ALLOW,
	  RULES({ ANY, OPTION_TCP_ULP, REFUSE }, { ANY, OPTION_TCP_MD5, REFUSE },
		{ ANY, OPTION_TCP_MD5_PREFIX, REFUSE }, { ANY, OPTION_TCP_AO_KEY, REFUSE }) },
	{ .call = "setsockopt", .argument = 2, .otherwise = SECCOMP_RET_ALLOW },
	// core(5): RLIMIT_CORE of 0 starts the host's handler of core dumps.
	{ .call = "setrlimit",
	  .argument = 0,
	  .otherwise = SECCOMP_RET_ALLOW,
	  RULES({ ANY, LIMIT_OF_CORES, PRETEND }) },
	{ .call = "prlimit64",
	  .guarded = true,
	  .guard_argument = 1,
	  .guard_value = LIMIT_OF_CORES,
	  .argument = 2,
	  .otherwise = PRETEND,
	  .whole = true,
	  RULES({ ANY, 0, SECCOMP_RET_ALLOW }) },
	// A new limit of pid 1 could kill or slow it.
	{ .call = "prlimit64",
	  .guarded = true,
	  .guard_argument = 0,
	  .guard_value = 1,
	  .argument = 2,
	  .otherwise = REFUSE,
	  .whole = true,
	  RULES({ ANY, 0, SECCOMP_RET_ALLOW }) },
	{ .call = "prlimit64", .argument = 2, .otherwise = SECCOMP_RET_ALLOW },
	NOT_THE_FIRST("sched_setparam"),
	NOT_THE_FIRST("sched_setscheduler"),
	NOT_THE_FIRST("sched_setaffinity"),
	NOT_THE_FIRST("sched_setattr"),
	{ .call = "setpriority",
	  .guarded = true,
	  .guard_argument = 0,
	  .guard_value = PRIO_PROCESS,
	  .argument = 1,
	  .otherwise = SECCOMP_RET_ALLOW,
	  RULES({ ANY, 1, REFUSE }) },
	// Group 0 may be the group of sbx's caller.
	{ .call = "setpriority",
	  .guarded = true,
	  .guard_argument = 0,
	  .guard_value = PRIO_PGRP,
	  .argument = 1,
	  .otherwise = SECCOMP_RET_ALLOW,
	  RULES({ ANY, 0, REFUSE }) },
	{ .call = "setpriority", .argument = 0, .otherwise = SECCOMP_RET_ALLOW },
	{ .call = "ioprio_set",
	  .guarded = true,
	  .guard_argument = 0,
	  .guard_value = IOPRIO_OF_GROUP,
	  .argument = 1,
	  .otherwise = SECCOMP_RET_ALLOW,
	  RULES({ ANY, 0, REFUSE }) },
	{ .call = "ioprio_set", .argument = 0, .otherwise = SECCOMP_RET_ALLOW },
	// PR_SCHED_CORE can include the whole process group.
	{ .call = "prctl",
	  .argument = 0,
	  .otherwise = SECCOMP_RET_ALLOW,
	  RULES({ ANY, PRCTL_SCHED_CORE, INVALID }) },
	// For an unmapped id the kernel returns EINVAL; fakeroot accepts only EPERM. The caller's
	// other groups appear as 65534: rsync would give up.
	OWNER_OF("chown", 1),
	OWNER_OF("fchown", 1),
	OWNER_OF("lchown", 1),
	OWNER_OF("fchownat", 2),
};
const unsigned syscall_check_count = sizeof(syscall_checks) / sizeof(*syscall_checks);

int syscall_group_find(const char *name)
{
	for (unsigned group = GROUP_FIRST_OPTIONAL; group < syscall_group_count; group++)
		if (str_equal(syscall_groups[group].name, name))
			return (int)group;
	return -1;
}

bool syscall_listed(const char *calls, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = strstr(calls, name); at && length; at = strstr(at + 1, name))
		if ((at == calls || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}
