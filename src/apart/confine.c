// Owns the walls around processes that read hostile bytes: limits of files, programs, capabilities
// and system calls.
#include "apart/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/filter_code.h"
#include "base/sys.h"
#include "base/testing.h"

// Calls of all processes. Unlisted calls kill; in CONFINED_CHECK they get ENOSYS.
// clang-format off
static const int every[] = {
	SYS_read, SYS_write, SYS_close, SYS_clock_gettime, SYS_gettimeofday, SYS_restart_syscall,
	SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise, SYS_futex, SYS_getrandom,
	SYS_exit_group, SYS_exit, SYS_rt_sigreturn,
};
// clang-format on
static const int worker_calls[] = {
	SYS_socket,     SYS_socketpair, SYS_connect,     SYS_accept4,     SYS_recvfrom,
	SYS_sendto,     SYS_recvmsg,    SYS_sendmsg,     SYS_getsockname, SYS_getpeername,
	SYS_getsockopt, SYS_setsockopt, SYS_shutdown,    SYS_writev,      SYS_pread64,
	SYS_fcntl,      SYS_epoll_ctl,  SYS_epoll_pwait, SYS_epoll_wait,
};
// OpenSSL calls getpid(2) to detect a fork.
static const int opener_calls[] = {
	SYS_recvmsg, SYS_shutdown, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_wait, SYS_getpid,
};
// sendto(2) has no address (filter_arguments): a box may pass a datagram socket.
static const int filter_calls[] = {
	SYS_accept4,   SYS_recvfrom,    SYS_recvmsg,    SYS_sendto,
	SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_wait,
};
static const int connector_calls[] = {
	SYS_recvmsg, SYS_sendmsg, SYS_socket, SYS_setsockopt, SYS_connect,
};
// recvmsg(2) brings files with the questions. qsort(3) calls sysinfo(2).
static const int reader_calls[] = { SYS_recvmsg, SYS_pread64, SYS_sysinfo };
// clang-format off
static const int check_calls[] = {
	SYS_openat, SYS_openat2, SYS_newfstatat, SYS_fstat, SYS_statx, SYS_statfs, SYS_fstatfs,
	SYS_getdents64, SYS_lseek, SYS_pread64, SYS_pwrite64, SYS_readlinkat, SYS_faccessat,
	SYS_faccessat2, SYS_fcntl, SYS_flock, SYS_ftruncate, SYS_fsync, SYS_fdatasync, SYS_fchmod,
	SYS_fchmodat, SYS_fchown, SYS_utimensat, SYS_mkdirat, SYS_mknodat, SYS_unlinkat,
	SYS_linkat, SYS_symlinkat, SYS_renameat, SYS_renameat2, SYS_getcwd, SYS_umask, SYS_getpid,
	SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getrusage, SYS_nanosleep,
	SYS_mprotect, SYS_clock_nanosleep, SYS_sendmsg, SYS_sendto, SYS_recvfrom, SYS_stat,
	SYS_lstat, SYS_access, SYS_readlink, SYS_chmod, SYS_rename, SYS_unlink,
	SYS_mkdir,
};
// clang-format on
// ENOENT: c-ares and OpenSSL do without these files.
static const int absent[] = {
	SYS_openat,
	SYS_open,
};

// Half of an argument, and its allowed values. Other values get `otherwise`.
struct checked {
	int call;
	unsigned half; // 2 * argument; + 1 for its upper half, which no int has
	uint32_t ignored;
	uint32_t otherwise;
	unsigned count;
	uint32_t values[7];
};

enum {
	REFUSED = SECCOMP_RET_ERRNO | EACCES,
	FORBIDDEN = SECCOMP_RET_ERRNO | EPERM,
	UNKNOWN = SECCOMP_RET_ERRNO | ENOSYS,
	FLAGS = SOCK_CLOEXEC | SOCK_NONBLOCK,
	NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
		     CLONE_NEWPID | CLONE_NEWNET,
};

static const struct checked every_argument[] = {
	{ SYS_mmap, 4, ~(uint32_t)PROT_EXEC, SECCOMP_RET_KILL_PROCESS, 1, { 0 } },
};
// A datagram socketpair(2) could send to any address.
static const struct checked worker_arguments[] = {
	{ SYS_socket, 0, 0, REFUSED, 2, { AF_INET, AF_INET6 } },
	{ SYS_socket, 2, FLAGS, REFUSED, 2, { SOCK_STREAM, SOCK_DGRAM } },
	{ SYS_socket, 4, 0, REFUSED, 3, { 0, IPPROTO_TCP, IPPROTO_UDP } },
	{ SYS_socketpair, 0, 0, REFUSED, 1, { AF_UNIX } },
	{ SYS_socketpair, 2, FLAGS, REFUSED, 1, { SOCK_STREAM } },
};
static const struct checked filter_arguments[] = {
	{ SYS_sendto, 8, 0, REFUSED, 1, { 0 } },
	{ SYS_sendto, 9, 0, REFUSED, 1, { 0 } },
};
static const struct checked connector_arguments[] = {
	{ SYS_socket, 0, 0, REFUSED, 1, { AF_UNIX } },
	{ SYS_socket, 2, FLAGS, REFUSED, 1, { SOCK_STREAM } },
};
// clang-format off
// Messages go only to descriptor 0, the reader's. No fcntl(2) replaces it.
static const struct checked check_arguments[] = {
	{ SYS_mprotect, 4, ~(uint32_t)PROT_EXEC, SECCOMP_RET_KILL_PROCESS, 1, { 0 } },
	{ SYS_sendmsg, 0, 0, REFUSED, 1, { 0 } },
	{ SYS_sendto, 0, 0, REFUSED, 1, { 0 } },
	{ SYS_recvfrom, 0, 0, REFUSED, 1, { 0 } },
	{ SYS_fcntl, 2, 0, REFUSED, 7,
	  { F_GETFD, F_GETFL, F_SETLEASE, F_SETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETLK } },
};
// clang-format on

#define COUNT(list) (sizeof(list) / sizeof(*(list)))
#define ALL(list)   list, COUNT(list)

// clang-format off
// The supervisor loses these calls once a box runs.
static const int supervisor_refused[] = {
	SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_writev, SYS_process_madvise, SYS_kcmp,
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_fsopen, SYS_fspick, SYS_fsconfig,
	SYS_fsmount, SYS_perf_event_open, SYS_io_uring_setup, SYS_io_uring_enter,
	SYS_io_uring_register, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key,
	SYS_open_by_handle_at, SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module,
	SYS_delete_module, SYS_swapon, SYS_swapoff, SYS_reboot, SYS_acct, SYS_personality, SYS_shmat,
};
static const struct { int call; unsigned unless; } supervisor_parts[] = {
	{ SYS_process_vm_readv, LEFT_ANSWERS },
	{ SYS_pidfd_getfd, LEFT_ANSWERS },
	{ SYS_open_tree, LEFT_WALLS },
	{ SYS_move_mount, LEFT_WALLS },
	{ SYS_mount_setattr, LEFT_WALLS },
	{ SYS_bpf, LEFT_BPF },
};
// Allowed values of arguments. Rows of one call come together.
static const struct { int call; unsigned half; uint32_t value; unsigned part; } supervisor_kept[] = {
	{ SYS_socket, 0, AF_UNIX, LEFT_ANSWERS },
	{ SYS_socket, 0, AF_INET, LEFT_INTERNET },
	{ SYS_socket, 0, AF_INET6, LEFT_INTERNET },
	{ SYS_socket, 0, AF_NETLINK, LEFT_INTERNET },
	{ SYS_socketpair, 0, AF_UNIX, 0 },
	{ SYS_unshare, 0, CLONE_NEWUSER, 0 }, // for owned_override()
	{ SYS_unshare, 0, CLONE_FS, LEFT_ANSWERS },
	{ SYS_setns, 2, CLONE_NEWUSER, LEFT_WALLS },
	{ SYS_setns, 2, CLONE_NEWNS, LEFT_WALLS },
};
// clang-format on
enum { NEWEST = 462 }; // mseal(2), Linux 6.10
static const struct checked supervisor_arguments[] = {
	{ SYS_mmap, 4, ~(uint32_t)PROT_EXEC, FORBIDDEN, 1, { 0 } },
	{ SYS_mprotect, 4, ~(uint32_t)PROT_EXEC, FORBIDDEN, 1, { 0 } },
	{ SYS_pkey_mprotect, 4, ~(uint32_t)PROT_EXEC, FORBIDDEN, 1, { 0 } },
	{ SYS_clone, 0, ~(uint32_t)NAMESPACES, FORBIDDEN, 1, { 0 } },
	{ SYS_clone3, 0, 0, UNKNOWN, 0, { 0 } }, // libc then calls clone(2)
	// TIOCSTI types keys for a terminal's next reader. 0x541c is TIOCLINUX.
	{ SYS_ioctl, 2, 0, SECCOMP_RET_ALLOW, 2, { TIOCSTI, 0x541c } },
};

static const struct confined_row {
	const int *calls;
	size_t call_count;
	const struct checked *arguments;
	size_t argument_count;
	bool writes_files; // writes to open descriptors
	bool reads;        // reads all files, writes below `writable`, keeps capabilities
	rlim_t seconds;    // of processor time; 0: no limit
} rows[CONFINED_ALL] = {
	[CONFINED_WORKER] = { ALL(worker_calls), ALL(worker_arguments), .reads = false },
	[CONFINED_OPENER] = { ALL(opener_calls), NULL, 0, .reads = false },
	[CONFINED_FILTER] = { ALL(filter_calls), ALL(filter_arguments), .reads = false },
	[CONFINED_CONNECTOR] = { ALL(connector_calls), ALL(connector_arguments), .reads = false },
	[CONFINED_CHECK] = { ALL(check_calls), ALL(check_arguments), .writes_files = true,
			     .reads = true },
	[CONFINED_READER] = { ALL(reader_calls), NULL, 0, .seconds = 5 },
};

enum { PROGRAM_MAX = 512 };
static const size_t number = offsetof(struct seccomp_data, nr);

static filter_place check(struct filter_code *code, const struct checked *row, filter_place kept,
			  filter_place no)
{
	for (unsigned i = row->count; i-- > 0;)
		no = filter_test(code, BPF_JEQ, row->values[i], kept, no);
	if (row->count)
		no = filter_load_bits(code, offsetof(struct seccomp_data, args) + 4 * row->half,
				      ~row->ignored, no);
	return no;
}

static filter_place answer(struct filter_code *code, const int *calls, size_t count,
			   uint32_t verdict, filter_place next)
{
	while (count-- > 0)
		next = filter_test(code, BPF_JEQ, (uint32_t)calls[count],
				   filter_return(code, verdict), next);
	return next;
}

static filter_place check_all(struct filter_code *code, const struct checked *all, size_t count,
			      filter_place next)
{
	while (count-- > 0) {
		const struct checked *row = &all[count];
		filter_place again = filter_load(code, number, next);
		filter_place no = filter_return(code, row->otherwise);
		next = filter_test(code, BPF_JEQ, (uint32_t)row->call, check(code, row, again, no),
				   next);
	}
	return next;
}

static int install(struct filter_code *code, filter_place first, unsigned flags)
{
	filter_place foreign = filter_return(code, SECCOMP_RET_KILL_PROCESS);
	first = filter_load(code, number, first);
	first = filter_test(code, BPF_JEQ, SYS_AUDIT_ARCH, first, foreign);
	filter_load(code, offsetof(struct seccomp_data, arch), first);
	struct sock_fprog whole = filter_program(code);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &whole);
}

static int load_filter(const struct confined_row *row)
{
	struct sock_filter room[PROGRAM_MAX];
	struct filter_code code = { .code = room, .size = PROGRAM_MAX };
	// UNKNOWN (ENOSYS) lets libc use its fallbacks.
	filter_place next = filter_return(&code, row->reads ? UNKNOWN : SECCOMP_RET_KILL_PROCESS);
	next = answer(&code, ALL(absent), SECCOMP_RET_ERRNO | ENOENT, next);
	next = answer(&code, row->calls, row->call_count, SECCOMP_RET_ALLOW, next);
	next = answer(&code, ALL(every), SECCOMP_RET_ALLOW, next);
	next = check_all(&code, row->arguments, row->argument_count, next);
	next = check_all(&code, ALL(every_argument), next);
	return install(&code, next, 0);
}

static unsigned gather(unsigned left, struct checked *all)
{
	unsigned count = 0;
	for (size_t i = 0; i < COUNT(supervisor_refused); i++)
		all[count++] =
			(struct checked){ .call = supervisor_refused[i], .otherwise = FORBIDDEN };
	for (size_t i = 0; i < COUNT(supervisor_parts); i++)
		if (!(supervisor_parts[i].unless & left))
			all[count++] = (struct checked){ .call = supervisor_parts[i].call,
							 .otherwise = FORBIDDEN };
	for (size_t i = 0; i < COUNT(supervisor_arguments); i++)
		all[count++] = supervisor_arguments[i];
	for (size_t i = 0; i < COUNT(supervisor_kept); i++) {
		if (i == 0 || supervisor_kept[i - 1].call != supervisor_kept[i].call)
			all[count++] = (struct checked){ .call = supervisor_kept[i].call,
							 .half = supervisor_kept[i].half,
							 .otherwise = FORBIDDEN };
		if ((supervisor_kept[i].part & ~left) == 0)
			all[count - 1].values[all[count - 1].count++] = supervisor_kept[i].value;
	}
	return count;
}

static filter_place decide(struct filter_code *code, const struct checked *row, filter_place next)
{
	bool refuses = row->otherwise == SECCOMP_RET_ALLOW;
	filter_place kept = filter_return(code, refuses ? FORBIDDEN : SECCOMP_RET_ALLOW);
	filter_place no = filter_return(code, row->otherwise);
	return filter_test(code, BPF_JEQ, (uint32_t)row->call, check(code, row, kept, no), next);
}

// Branches on a call number's lowest bits: to load a filter, the kernel runs it for each number.
int confine_supervisor(unsigned left)
{
	enum { ROWS_MAX = 80, LOWEST = 15 };
	struct sock_filter room[PROGRAM_MAX];
	struct filter_code code = { .code = room, .size = PROGRAM_MAX };
	struct checked all[ROWS_MAX];
	unsigned count = gather(left, all);
	filter_place next = filter_return(&code, SECCOMP_RET_ALLOW);
	for (uint32_t bits = 0; bits <= LOWEST; bits++) {
		filter_place own = filter_return(&code, SECCOMP_RET_ALLOW);
		for (unsigned i = 0; i < count; i++)
			if (((uint32_t)all[i].call & LOWEST) == bits)
				own = decide(&code, &all[i], own);
		own = filter_load(&code, number, own);
		next = filter_test(&code, BPF_JEQ, bits, own, next);
	}
	next = filter_load_bits(&code, number, LOWEST, next);
	next = filter_test(&code, BPF_JGT, NEWEST, filter_return(&code, UNKNOWN), next);
	return install(&code, next, SECCOMP_FILTER_FLAG_SPEC_ALLOW);
}

static int limit(int resource, rlim_t most)
{
	struct rlimit value = { most, most };
	return sys_prlimit(resource, &value, NULL);
}

static int raise_descriptors(void)
{
	struct rlimit value;
	if (sys_prlimit(RLIMIT_NOFILE, NULL, &value) < 0)
		return -1;
	value.rlim_cur = value.rlim_max;
	return sys_prlimit(RLIMIT_NOFILE, &value, NULL);
}

static int add_rule(int ruleset, int directory, uint64_t rights)
{
	const struct sys_landlock_path rule = { .access = rights, .fd = directory };
	return sys_landlock_add(ruleset, &rule);
}

static int add_rules(int ruleset, uint64_t rights, const int *writable, unsigned count)
{
	// A check moves device nodes to quarantine: it may make them, with CAP_MKNOD.
	static const uint64_t never = LANDLOCK_EXECUTE | LANDLOCK_IOCTL_DEV;
	autoclose int all = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (all < 0 || add_rule(ruleset, all, LANDLOCK_READ_FILE | LANDLOCK_READ_DIR) < 0)
		return -1;
	for (unsigned i = 0; i < count; i++)
		if (add_rule(ruleset, writable[i], rights & ~never) < 0)
			return -1;
	return 0;
}

// Denies by Landlock all files without a rule. Before Linux 5.19 Landlock denies all renames
// between directories: CONFINED_CHECK then has no ruleset.
static int close_files(bool reads, const int *writable, unsigned count)
{
	int abi = testing_landlock(sys_landlock_create(NULL, 0, SYS_LANDLOCK_VERSION));
	struct sys_landlock_ruleset attributes = { .files = (1ULL << 13) - 1 };
	if (abi < (reads ? 2 : 1))
		return 0;
	attributes.files |= abi >= 2 ? LANDLOCK_REFER : 0;
	attributes.files |= abi >= 3 ? LANDLOCK_TRUNCATE : 0;
	attributes.files |= abi >= 5 ? LANDLOCK_IOCTL_DEV : 0;
	attributes.network = abi >= 4 ? LANDLOCK_BIND_TCP : 0;
	attributes.scoped = abi >= 6 ? LANDLOCK_SCOPE_ABSTRACT_UNIX | LANDLOCK_SCOPE_SIGNAL : 0;
	autoclose int ruleset = sys_landlock_create(&attributes,
						    abi < 4   ? 8
						    : abi < 6 ? 16
							      : 24,
						    0);
	if (ruleset < 0 || (reads && add_rules(ruleset, attributes.files, writable, count) < 0))
		return -1;
	return sys_landlock_restrict(ruleset);
}

int confine_below(enum confined who, unsigned locks, const int *writable, unsigned count)
{
	const struct confined_row *row = &rows[who];
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	if (raise_descriptors() < 0 || limit(RLIMIT_CORE, 0) < 0)
		return -1;
	if (!row->writes_files && limit(RLIMIT_FSIZE, 0) < 0)
		return -1;
	if (limit(RLIMIT_NPROC, 0) < 0)
		return -1;
	if (row->seconds && limit(RLIMIT_CPU, row->seconds) < 0)
		return -1;
	if ((locks & CONFINE_FILES) && close_files(row->reads, writable, count) < 0)
		return -1;
	// Runs before the filter, which has no capset(2).
	if (!row->reads && privileges_keep(NULL, 0) < 0)
		return -1;
	return locks & CONFINE_CALLS ? load_filter(row) : 0;
}

unsigned confine_locks(void)
{
	return (testing_skips("proxy-landlock") ? 0U : CONFINE_FILES) |
	       (testing_skips("watch") ? CONFINE_UNWATCHED : 0U) |
	       (testing_skips("proxy-filter") ? 0U : CONFINE_CALLS);
}
