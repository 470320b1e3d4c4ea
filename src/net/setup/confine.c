// Owns the walls around a worker: no file, no program, no process, no capability. Code that takes a
// worker over holds sockets, and a kernel that answers some forty calls.
#include "net/setup/confine.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/privileges.h"
#include "base/sys.h"
#include "base/testing.h"
#include "plan.h"
#include "run.h"

static const int allowed[] = {
	// sockets and pipes
	SYS_accept4,
	SYS_recvfrom,
	SYS_sendto,
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_getsockname,
	SYS_getpeername,
	SYS_getsockopt,
	SYS_setsockopt,
	SYS_shutdown,
	SYS_splice,
	SYS_pipe2,
	SYS_read,
	SYS_write,
	SYS_writev,
	SYS_pread64,
	SYS_close,
	SYS_fcntl,
	// waiting and time
	SYS_epoll_ctl,
	SYS_epoll_pwait,
	SYS_clock_gettime,
	SYS_gettimeofday,
	SYS_restart_syscall,
	SYS_epoll_wait,
	// memory of c-ares and libc
	SYS_brk,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_futex,
	SYS_getrandom,
	// the end
	SYS_exit_group,
	SYS_exit,
	SYS_rt_sigreturn,
};
// Of who gets each connection from another.
static const int connecting[] = {
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
};
// What the opener may call (open/opener_messages.h): it reads and writes what it is given, and
// reaches nobody.
static const int opener_allowed[] = {
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_read,
	SYS_write,
	SYS_shutdown,
	SYS_close,
	// waiting and time
	SYS_epoll_ctl,
	SYS_epoll_pwait,
	SYS_epoll_wait,
	SYS_clock_gettime,
	SYS_gettimeofday,
	SYS_restart_syscall,
	// memory; and OpenSSL, which asks whether it was forked
	SYS_brk,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_futex,
	SYS_getrandom,
	SYS_getpid,
	// the end
	SYS_exit_group,
	SYS_exit,
	SYS_rt_sigreturn,
};
// c-ares and OpenSSL look for files that they do not need.
static const int absent[] = {
	SYS_openat,
	SYS_open,
};

struct program {
	struct sock_filter code[128];
	unsigned short used;
};

static void emit(struct program *program, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	program->code[program->used++] =
		(struct sock_filter){ .code = code, .jt = jt, .jf = jf, .k = k };
}

static void answer(struct program *program, int number, uint32_t verdict)
{
	emit(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
	emit(program, BPF_RET | BPF_K, verdict, 0, 0);
}

static int load_filter(unsigned locks)
{
	struct program program = { .used = 0 };
	emit(&program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	emit(&program, BPF_JMP | BPF_JEQ | BPF_K, SYS_AUDIT_ARCH, 1, 0);
	emit(&program, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
	emit(&program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	bool opener = (locks & CONFINE_OPENER) != 0;
	const int *calls = opener ? opener_allowed : allowed;
	size_t count = (opener ? sizeof(opener_allowed) : sizeof(allowed)) / sizeof(*allowed);
	for (size_t i = 0; i < count; i++)
		answer(&program, calls[i], SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < sizeof(connecting) / sizeof(*connecting); i++)
		answer(&program, connecting[i],
		       locks & (CONFINE_UNCONNECTED | CONFINE_OPENER) ? SECCOMP_RET_KILL_PROCESS
								      : SECCOMP_RET_ALLOW);
	if (locks & CONFINE_LINKS)
		answer(&program, SYS_readlinkat, SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		answer(&program, absent[i], SECCOMP_RET_ERRNO | ENOENT);
	// Memory, but none that can be executed.
	emit(&program, BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3);
	emit(&program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2]), 0, 0);
	emit(&program, BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0);
	emit(&program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	emit(&program, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
	struct sock_fprog whole = { program.used, program.code };
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole);
}

static int limit(int resource, rlim_t most)
{
	struct rlimit value = { most, most };
	return sys_prlimit(resource, &value, NULL);
}

// As many sockets as the caller may have at all.
static int raise_descriptors(void)
{
	struct rlimit value;
	if (sys_prlimit(RLIMIT_NOFILE, NULL, &value) < 0)
		return -1;
	value.rlim_cur = value.rlim_max;
	return sys_prlimit(RLIMIT_NOFILE, &value, NULL);
}

// No rule: no file can be opened, made or removed, whatever the filter lets through.
static int close_files(void)
{
	int abi = testing_landlock(sys_landlock_create(NULL, 0, SYS_LANDLOCK_VERSION));
	struct sys_landlock_ruleset attributes = { .files = (1ULL << 13) - 1 };
	if (abi < 1)
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
	return ruleset < 0 ? -1 : sys_landlock_restrict(ruleset);
}

unsigned confine_locks(void)
{
	return (testing_skips("proxy-landlock") ? 0U : CONFINE_FILES) |
	       (testing_skips("watch") ? CONFINE_UNWATCHED : 0U) |
	       (testing_skips("proxy-filter") ? 0U : CONFINE_CALLS);
}

static void wipe(char *const *texts)
{
	for (; *texts; texts++)
		memset(*texts, 0, strlen(*texts));
}

void confine_forget(const struct plan *plan, const struct run *run)
{
	wipe(run->environment);
	wipe(run->arguments);
	arena_free(plan->arena);
}

int confine_worker(unsigned locks)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	if (raise_descriptors() < 0 || limit(RLIMIT_CORE, 0) < 0 || limit(RLIMIT_NPROC, 0) < 0)
		return -1;
	if (!(locks & CONFINE_LINKS) && limit(RLIMIT_FSIZE, 0) < 0)
		return -1;
	if ((locks & CONFINE_FILES) && close_files() < 0)
		return -1;
	if (privileges_keep(NULL, 0) < 0) // the filter comes after: memory can still be had
		return -1;
	return locks & CONFINE_CALLS ? load_filter(locks) : 0;
}
