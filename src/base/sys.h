// Kernel numbers, structs and calls that the C library lacks. Numbers from 424 on are the same on
// every architecture (Linux 5.1 and later).
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/close_range.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define SYS_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SYS_AUDIT_ARCH AUDIT_ARCH_AARCH64
#else
#error "sbx knows x86-64 and arm64"
#endif
#ifndef SYS_open
#define SYS_open (-1)
#endif
#ifndef SYS_stat
#define SYS_stat     (-1)
#define SYS_lstat    (-1)
#define SYS_access   (-1)
#define SYS_readlink (-1)
#define SYS_chmod    (-1)
#define SYS_rename   (-1)
#define SYS_unlink   (-1)
#define SYS_mkdir    (-1)
#endif
#ifndef SYS_epoll_wait
#define SYS_epoll_wait (-1)
#endif

#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif

// Landlock, ABI 1 to 7 (Documentation/userspace-api/landlock.rst). Debian 12's header ends at 3.
struct sys_landlock_ruleset {
	uint64_t files, network, scoped; // fields since ABI 1, 4, 6: 8, 16, 24 bytes in all
};
struct sys_landlock_path {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));
enum { SYS_LANDLOCK_RULE_PATH = 1, SYS_LANDLOCK_VERSION = 1 };
#define LANDLOCK_EXECUTE             (1ULL << 0)
#define LANDLOCK_WRITE_FILE          (1ULL << 1)
#define LANDLOCK_READ_FILE           (1ULL << 2)
#define LANDLOCK_READ_DIR            (1ULL << 3)
#define LANDLOCK_REMOVE_DIR          (1ULL << 4)
#define LANDLOCK_REMOVE_FILE         (1ULL << 5)
#define LANDLOCK_MAKE_CHAR           (1ULL << 6)
#define LANDLOCK_MAKE_DIR            (1ULL << 7)
#define LANDLOCK_MAKE_REG            (1ULL << 8)
#define LANDLOCK_MAKE_SOCK           (1ULL << 9)
#define LANDLOCK_MAKE_FIFO           (1ULL << 10)
#define LANDLOCK_MAKE_BLOCK          (1ULL << 11)
#define LANDLOCK_MAKE_SYM            (1ULL << 12)
#define LANDLOCK_REFER               (1ULL << 13) // ABI 2
#define LANDLOCK_TRUNCATE            (1ULL << 14) // ABI 3
#define LANDLOCK_IOCTL_DEV           (1ULL << 15) // ABI 5
#define LANDLOCK_BIND_TCP            (1ULL << 0)  // ABI 4
#define LANDLOCK_CONNECT_TCP         (1ULL << 1)
#define LANDLOCK_SCOPE_ABSTRACT_UNIX (1ULL << 0) // ABI 6
#define LANDLOCK_SCOPE_SIGNAL        (1ULL << 1)

// Returns -errno. Does not write errno, for a process that shares its memory.
static inline long sys_raw(long number, long a, long b, long c)
{
#if defined(__x86_64__)
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
#else
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
#endif
}

static inline long sys_raw5(long number, long a, long b, long c, long d, long e)
{
#if defined(__x86_64__)
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
#else
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "memory");
	return x0;
#endif
}

static inline int sys_clone3(struct clone_args *arguments)
{
	return (int)syscall(SYS_clone3, arguments, sizeof(*arguments));
}

// openat2(2) can refuse ".." with EAGAIN while any process renames or mounts.
enum { SYS_OPENAT2_TRIES = 4096 };
static inline int sys_openat2(int directory, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .resolve = resolve };
	int fd = -1;
	for (int i = 0; i < SYS_OPENAT2_TRIES; i++) {
		fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd;
}

enum { SYS_RENAME_NOREPLACE = 1, SYS_RENAME_EXCHANGE = 2 };

struct sys_entry {
	uint64_t inode;
	int64_t next;
	unsigned short size;
	unsigned char type;
	char name[];
};

static inline long sys_getdents(int directory, void *entries, size_t size)
{
	return syscall(SYS_getdents64, directory, entries, size);
}

static inline int sys_renameat2(int from, const char *source, int to, const char *target,
				unsigned flags)
{
	return (int)syscall(SYS_renameat2, from, source, to, target, flags);
}

// The kernel's struct statx (statx(2)), which some C libraries lack.
struct sys_statx {
	uint32_t mask, block_size;
	uint64_t attributes;
	uint64_t between[8];
	int64_t birth_seconds;
	uint32_t birth_nanoseconds, unused;
	uint64_t later[6];
	uint64_t mount_id; // Linux 5.8
	uint64_t rest[13];
};
_Static_assert(sizeof(struct sys_statx) == 256, "the kernel's struct statx");
#define SYS_STATX_MOUNT_ROOT 0x2000ULL // Linux 5.8
enum { SYS_STATX_BIRTH = 0x800, SYS_STATX_MOUNT_ID = 0x1000 };

static inline int sys_statx(int directory, const char *path, unsigned mask,
			    struct sys_statx *ret_status)
{
	return (int)syscall(SYS_statx, directory, path, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, mask,
			    ret_status);
}

static inline int sys_open_tree(int directory, const char *path, unsigned flags)
{
	return (int)syscall(SYS_open_tree, directory, path, flags);
}

static inline int sys_move_mount(int from, const char *source, int to, const char *target,
				 unsigned flags)
{
	return (int)syscall(SYS_move_mount, from, source, to, target, flags);
}

static inline int sys_mount_setattr(int fd, unsigned flags, struct mount_attr *attributes)
{
	return (int)syscall(SYS_mount_setattr, fd, "", flags | AT_EMPTY_PATH, attributes,
			    sizeof(*attributes));
}

// Needs two calls before Linux 6.15, and in filters without the new call.
static inline int sys_open_tree_attr(int directory, const char *path, unsigned flags,
				     struct mount_attr *attributes)
{
	int tree = (int)syscall(SYS_open_tree_attr, directory, path, flags, attributes,
				sizeof(*attributes));
	if (tree >= 0 || (tree = sys_open_tree(directory, path, flags)) < 0 ||
	    sys_mount_setattr(tree, flags & AT_RECURSIVE, attributes) == 0)
		return tree;
	close(tree); // leaves errno alone
	return -1;
}

// From linux/seccomp.h of Linux 6.6. The flags are the argument of the ioctl.
enum { SYS_SECCOMP_NOTIF_SET_FLAGS = 0x40082104, SYS_SECCOMP_SYNC_WAKE_UP = 1 };

// musl takes the request as an int, glibc as unsigned long.
static inline int sys_ioctl(int fd, unsigned long request, void *argument)
{
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

// Forks by clone(), which container filters allow (unlike clone3), and makes a pidfd.
static inline int sys_clone(unsigned long flags, int *ret_pidfd)
{
	return (int)syscall(SYS_clone, flags | CLONE_PIDFD | SIGCHLD, 0, ret_pidfd, 0, 0);
}

static inline int sys_fork(int end)
{
	return (int)syscall(SYS_clone, end, 0, 0, 0, 0);
}

static inline int sys_fsopen(const char *type)
{
	return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

static inline int sys_fsconfig(int fd, unsigned command, const char *key, const char *value)
{
	return (int)syscall(SYS_fsconfig, fd, command, key, value, 0);
}

static inline int sys_fsmount(int fd, unsigned attributes)
{
	return (int)syscall(SYS_fsmount, fd, FSMOUNT_CLOEXEC, attributes);
}

static inline int sys_pivot_root(const char *root, const char *old)
{
	return (int)syscall(SYS_pivot_root, root, old);
}

static inline int sys_detach(const char *path)
{
	enum { SYS_MNT_DETACH = 2 };
	return (int)syscall(SYS_umount2, path, SYS_MNT_DETACH);
}

static inline int sys_close_range(unsigned first, unsigned last, unsigned flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

static inline int sys_pidfd_send_signal(int pidfd, int number, siginfo_t *info)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, number, info, 0);
}

static inline int sys_pidfd_open(pid_t pid)
{
	enum { SYS_PIDFD_OPEN = 434 };
	return (int)syscall(SYS_PIDFD_OPEN, pid, 0);
}

// Pidfds of one thread need Linux 6.9.
static inline int sys_pidfd_open_thread(pid_t thread)
{
	enum { SYS_PIDFD_OPEN = 434, SYS_PIDFD_THREAD = O_EXCL };
	return (int)syscall(SYS_PIDFD_OPEN, thread, SYS_PIDFD_THREAD);
}

static inline int sys_pidfd_getfd(int pidfd, int fd)
{
	enum { SYS_PIDFD_GETFD = 438 };
	return (int)syscall(SYS_PIDFD_GETFD, pidfd, fd, 0);
}

// Changes the mode of the descriptor's file, also with O_PATH. Linux 6.6.
static inline int sys_change_mode(int fd, mode_t mode)
{
	enum { SYS_FCHMODAT2 = 452 };
	return (int)syscall(SYS_FCHMODAT2, fd, "", mode, AT_EMPTY_PATH);
}

// utimensat() of the C library refuses a NULL path.
static inline int sys_change_times(int fd, const char *path, const struct timespec times[2],
				   int flags)
{
	return (int)syscall(SYS_utimensat, fd, path, times, flags);
}

static inline int sys_bpf(int command, void *attributes, unsigned size)
{
	return (int)syscall(SYS_bpf, command, attributes, size);
}

// The C libraries disagree about the type of `resource`.
static inline int sys_prlimit(int resource, const struct rlimit *wanted, struct rlimit *ret_old)
{
	return (int)syscall(SYS_prlimit64, 0, resource, wanted, ret_old);
}

static inline int sys_landlock_create(const struct sys_landlock_ruleset *ruleset, size_t size,
				      unsigned flags)
{
	return (int)syscall(SYS_landlock_create_ruleset, ruleset, size, flags);
}

static inline int sys_landlock_add(int fd, const struct sys_landlock_path *rule)
{
	return (int)syscall(SYS_landlock_add_rule, fd, SYS_LANDLOCK_RULE_PATH, rule, 0);
}

static inline int sys_landlock_restrict(int fd)
{
	return (int)syscall(SYS_landlock_restrict_self, fd, 0);
}
