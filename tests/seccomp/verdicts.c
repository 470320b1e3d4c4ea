// Runs the compiled filter in a small machine: every number 0..1023 in three conventions against
// a golden table, and each argument check against rows of its own. Rule 16.
//   verdicts            checks          verdicts --print   prints the golden table
#include "../unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/base.h"
#include "plan.h"
#include "process/ns.h"
#include "profile.h"
#include "seccomp/filter.h"
#include "seccomp/seccomp.h"
#include "seccomp/syscalls.h"

static struct sock_filter room[FILTER_MAX];
static const struct sock_filter *code;
static unsigned length;

static uint32_t load(const struct seccomp_data *data, uint32_t offset)
{
	uint32_t word;
	assert_true(offset % 4 == 0 && offset <= sizeof(*data) - 4);
	memcpy(&word, (const char *)data + offset, sizeof(word));
	return word;
}

// Classic BPF as far as the compiler uses it; anything else fails the test.
static uint32_t execute(const struct seccomp_data *data)
{
	uint32_t accumulator = 0;
	for (unsigned at = 0; at < length; at++) {
		const struct sock_filter *now = &code[at];
		switch (now->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			accumulator = load(data, now->k);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			accumulator &= now->k;
			break;
		case BPF_JMP | BPF_JA:
			at += now->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			at += accumulator == now->k ? now->jt : now->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			at += accumulator >= now->k ? now->jt : now->jf;
			break;
		case BPF_RET | BPF_K:
			return now->k;
		default:
			fail_msg("instruction %u has code %x", at, now->code);
		}
	}
	fail_msg("the filter runs off its end");
	return 0;
}

static uint32_t verdict(uint32_t arch, uint32_t number, uint64_t a, uint64_t b, uint64_t c)
{
	struct seccomp_data data = { .nr = (int)number, .arch = arch, .args = { a, b, c } };
	return execute(&data);
}

#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#define OTHER  AUDIT_ARCH_I386
static const char golden[] = "x86_64.golden";
#else
#define NATIVE AUDIT_ARCH_AARCH64
#define OTHER  AUDIT_ARCH_ARM
static const char golden[] = "aarch64.golden";
#endif

#define NONE_HERE (-1U)
enum { OWN = 1000, NUMBERS = 512 };
#ifndef SYS_poll
#define SYS_poll NONE_HERE
#endif

static void compile(uint32_t groups, const unsigned *denied, unsigned denied_count)
{
	struct filter_choice choice = { groups, denied, denied_count, OWN, OWN + 1 };
	struct sock_fprog program = filter_compile(&choice, room);
	code = program.filter;
	length = program.len;
	assert_in_range(length, 10, FILTER_MAX);
}

static const char *word(uint32_t answer)
{
	static char other[32];
	switch (answer) {
	case SECCOMP_RET_ALLOW:
		return "allow";
	case SECCOMP_RET_ERRNO | ENOSYS:
		return "nosys";
	case SECCOMP_RET_ERRNO | EPERM:
		return "refuse";
	case SECCOMP_RET_KILL_PROCESS:
		return "kill";
	default:
		snprintf(other, sizeof(other), "%x", answer);
		return other;
	}
}

// With all arguments zero, in the default profile (group ptrace) and with no group at all.
static void verdicts_of(unsigned number, char *text, size_t size)
{
	char first[32];
	compile(1U << GROUP_FIRST_OPTIONAL, NULL, 0);
	snprintf(first, sizeof(first), "%s", word(verdict(NATIVE, number, 0, 0, 0)));
	compile(0, NULL, 0);
	snprintf(text, size, "%s %s", first, word(verdict(NATIVE, number, 0, 0, 0)));
}

// A line of the table: the first number, the last one, what these calls get.
static void equals_golden(void **state)
{
	char path[512], wanted[128], got[128];
	unsigned first, last, next = 0;
	(void)state;
	snprintf(path, sizeof(path), "%s/%s", GOLDEN_DIRECTORY, golden);
	FILE *file = fopen(path, "r");
	assert_non_null(file); // of another machine: made with --print
	while (fscanf(file, "%u-%u %127[a-z0-9 ]\n", &first, &last, wanted) == 3) {
		assert_int_equal(first, next);
		for (; next <= last && next < NUMBERS; next++) {
			verdicts_of(next, got, sizeof(got));
			assert_string_equal(got, wanted);
		}
	}
	assert_int_equal(next, NUMBERS);
	fclose(file);
}

static void print_golden(void)
{
	char text[128], last[128];
	unsigned first = 0;
	verdicts_of(0, last, sizeof(last));
	for (unsigned number = 1; number <= NUMBERS; number++) {
		verdicts_of(number, text, sizeof(text));
		if (number < NUMBERS && strcmp(text, last) == 0)
			continue;
		printf("%u-%u %s\n", first, number - 1, last);
		memcpy(last, text, sizeof(last));
		first = number;
	}
}

static void other_conventions(void **state)
{
	(void)state;
	compile(~0U, NULL, 0);
	for (unsigned number = 0; number < 1024; number++) {
		assert_int_equal(verdict(OTHER, number, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
		assert_int_equal(verdict(NATIVE, number | 0x40000000U, 0, 0, 0),
				 SECCOMP_RET_KILL_PROCESS);
		if (number >= 512)
			assert_int_equal(verdict(NATIVE, number, 0, 0, 0),
					 SECCOMP_RET_ERRNO | ENOSYS);
	}
	assert_int_equal(verdict(NATIVE, 0xffffffffU, 0, 0, 0), SECCOMP_RET_ERRNO | ENOSYS);
}

struct argument_row {
	unsigned number;
	uint64_t a, b, c;
	uint32_t answer;
};

#define REFUSED     (SECCOMP_RET_ERRNO | EPERM)
#define NO_FAMILY   (SECCOMP_RET_ERRNO | EAFNOSUPPORT)
#define NO_KIND     (SECCOMP_RET_ERRNO | ESOCKTNOSUPPORT)
#define PRETENDED   SECCOMP_RET_ERRNO
#define NOT_VALID   (SECCOMP_RET_ERRNO | EINVAL)
#define NO_SUPPORT  (SECCOMP_RET_ERRNO | EOPNOTSUPP)
#define NO_PROTOCOL (SECCOMP_RET_ERRNO | EPROTONOSUPPORT)
#define HIGH        (1ULL << 32)
#define NONE        0xffffffffULL // an id that stays

static const struct argument_row rows[] = {
	{ SYS_ioctl, 0, 0x5401, 0, SECCOMP_RET_ALLOW },
	{ SYS_ioctl, 0, 0x5412, 0, REFUSED },
	{ SYS_ioctl, 0, HIGH | 0x5412, 0, REFUSED }, // CVE-2019-10063
	{ SYS_ioctl, 0, 0x541c, 0, REFUSED },
	{ SYS_ioctl, 0, HIGH | 0x541c, 0, REFUSED },
	{ SYS_ioctl, 0, 0x5423, 0, REFUSED },
	{ SYS_ioctl, 0, 0x50009401, 0, REFUSED }, // BTRFS_IOC_SNAP_CREATE
	{ SYS_ioctl, 0, 0x50009417, 0, REFUSED }, // and _V2
	{ SYS_ioctl, 0, HIGH | 0x50009417, 0, REFUSED },
	{ SYS_ioctl, 0, 0x5000943f, 0, REFUSED },           // BTRFS_IOC_SNAP_DESTROY_V2
	{ SYS_ioctl, 0, 0x540c, 0, REFUSED },               // TIOCEXCL
	{ SYS_ioctl, 0, 0x540d, 0, SECCOMP_RET_ALLOW },     // TIOCNXCL
	{ SYS_ioctl, 0, 0x4b45, 0, REFUSED },               // KDSKBMODE
	{ SYS_ioctl, 0, HIGH | 0x4b72, 0, REFUSED },        // KDFONTOP
	{ SYS_ioctl, 0, 0x5602, 0, REFUSED },               // VT_SETMODE
	{ SYS_ioctl, 0, 0xc0585611, 0, SECCOMP_RET_ALLOW }, // of video devices
	{ SYS_ioctl, 0, 0x40305828, 0, NO_SUPPORT },        // FS_IOC_RESVSP
	{ SYS_ioctl, 0, 0x4030582a, 0, NO_SUPPORT },        // FS_IOC_RESVSP64
	{ SYS_ioctl, 0, HIGH | 0x4030582a, 0, NO_SUPPORT }, // the kernel looks at 32 bits
	{ SYS_ioctl, 0, 0x40305839, 0, NO_SUPPORT },        // FS_IOC_ZERO_RANGE
	{ SYS_ioctl, 0, 0x4030582b, 0, SECCOMP_RET_ALLOW }, // FS_IOC_UNRESVSP64
	{ SYS_ioctl, 0, 0x8940, 0, REFUSED },               // SIOCGIFBR
	{ SYS_ioctl, 0, 0x8941, 0, REFUSED },               // SIOCSIFBR
	{ SYS_ioctl, 0, 0x89a0, 0, REFUSED },               // SIOCBRADDBR
	{ SYS_ioctl, 0, 0x89a1, 0, REFUSED },               // SIOCBRDELBR
	{ SYS_ioctl, 0, 0x8982, 0, REFUSED },               // SIOCGIFVLAN
	{ SYS_ioctl, 0, 0x8983, 0, REFUSED },               // SIOCSIFVLAN
	{ SYS_ioctl, 0, 0x8933, 0, SECCOMP_RET_ALLOW },     // SIOCGIFINDEX
	{ SYS_setrlimit, 7, 0x7f0000001000, 0, SECCOMP_RET_ALLOW },
	{ SYS_setrlimit, 4, 0x7f0000001000, 0, PRETENDED },
	{ SYS_setrlimit, HIGH | 4, 0, 0, PRETENDED },
	{ SYS_prlimit64, 0, 7, 0x7f0000001000, SECCOMP_RET_ALLOW },
	{ SYS_prlimit64, 0, 4, 0, SECCOMP_RET_ALLOW },
	{ SYS_prlimit64, 0, 4, 0x7f0000001000, PRETENDED },
	{ SYS_prlimit64, 0, HIGH | 4, HIGH, PRETENDED },
	{ SYS_fcntl, 0, 6, 0, SECCOMP_RET_ALLOW },
	{ SYS_fcntl, 0, 1025, 0, SECCOMP_RET_ALLOW },
	{ SYS_fcntl, 0, 1024, 0, REFUSED },
	{ SYS_fcntl, 0, HIGH | 1024, 1, REFUSED },
	{ SYS_fcntl, 0, 1040, 0, REFUSED },
	{ SYS_socket, 1, 1, 0, SECCOMP_RET_ALLOW },
	{ SYS_socket, 2, 1, 0, SECCOMP_RET_ALLOW },
	{ SYS_socket, 2, 0x80801, 0, SECCOMP_RET_ALLOW }, // with SOCK_CLOEXEC and SOCK_NONBLOCK
	{ SYS_socket, 2, 3, 1, SECCOMP_RET_ALLOW },
	{ SYS_socket, 2, 4, 0, NO_KIND },
	{ SYS_socket, 2, 5, 0, NO_KIND },
	{ SYS_socket, 2, 6, 0, NO_KIND },
	{ SYS_socket, 2, 0x80806, 33, NO_KIND },
	{ SYS_socket, 2, 10, 0, NO_KIND },
	{ SYS_socket, 10, 4, 0, NO_KIND },
	{ SYS_socket, 10, 5, 0, NO_KIND },
	{ SYS_socket, 10, HIGH | 6, 0, NO_KIND },
	{ SYS_socket, 10, 10, 0, NO_KIND },
	{ SYS_socket, 1, 5, 0, SECCOMP_RET_ALLOW },
	{ SYS_socket, 2, 2, 1, SECCOMP_RET_ALLOW },
	{ SYS_socket, 2, 1, 6, SECCOMP_RET_ALLOW },
	{ SYS_socket, 2, 2, 17, SECCOMP_RET_ALLOW },
	{ SYS_socket, 2, 1, 132, NO_PROTOCOL },
	{ SYS_socket, 2, 1, HIGH | 132, NO_PROTOCOL },
	{ SYS_socket, HIGH | 2, 1, 33, NO_PROTOCOL },
	{ SYS_socket, 10, 1, 33, NO_PROTOCOL },
	{ SYS_socket, 2, 1, 262, NO_PROTOCOL },
	{ SYS_socket, 2, 2, 115, NO_PROTOCOL },
	{ SYS_socket, 2, 2, 136, NO_PROTOCOL },
	{ SYS_socket, 10, 2, 0, SECCOMP_RET_ALLOW },
	{ SYS_socket, 10, 2, 58, SECCOMP_RET_ALLOW },
	{ SYS_socket, 10, 1, 6, SECCOMP_RET_ALLOW },
	{ SYS_socket, 10, 2, 17, SECCOMP_RET_ALLOW },
	{ SYS_socket, 10, 1, 132, NO_PROTOCOL },
	{ SYS_socket, 10, 6, 33, NO_KIND },
	{ SYS_socket, 16, 3, 0, SECCOMP_RET_ALLOW },
	{ SYS_socket, 16, 3, 15, NO_FAMILY },
	{ SYS_socket, 16, 3, 16, NO_FAMILY },
	{ SYS_socket, HIGH | 16, 3, 12, NO_FAMILY },
	{ SYS_socket, 17, 3, 0, NO_FAMILY },
	{ SYS_socket, 38, 5, 0, NO_FAMILY },
	{ SYS_socket, 40, 1, 0, NO_FAMILY },
	{ SYS_socket, 44, 3, 0, NO_FAMILY },
	{ SYS_socketpair, 1, 1, 0, SECCOMP_RET_ALLOW },
	{ SYS_socketpair, 2, 1, 0, NO_FAMILY },
	{ SYS_clone, 0x01200011, 0, 0, SECCOMP_RET_ALLOW },
	{ SYS_clone, 0x10000011, 0, 0, REFUSED },
	{ SYS_clone, 0x00020011, 0, 0, REFUSED },
	{ SYS_clone, 0x20000011, 0, 0, REFUSED },
	{ SYS_clone, 0x40000011, 0, 0, REFUSED },
	{ SYS_clone, 0x08000011, 0, 0, REFUSED },
	{ SYS_clone, 0x04000011, 0, 0, REFUSED },
	{ SYS_clone, 0x02000011, 0, 0, REFUSED },
	{ SYS_personality, 0, 0, 0, SECCOMP_RET_ALLOW },
	{ SYS_personality, 0xffffffff, 0, 0, SECCOMP_RET_ALLOW },
	{ SYS_personality, 0x40000, 0, 0, SECCOMP_RET_ALLOW },
	{ SYS_personality, 0x20000, 0, 0, SECCOMP_RET_ALLOW }, // SHORT_INODE: setarch -S
	{ SYS_personality, 0x60000, 0, 0, SECCOMP_RET_ALLOW },
	{ SYS_personality, 0x8, 0, 0, REFUSED },
	{ SYS_personality, 0x400000, 0, 0, REFUSED }, // READ_IMPLIES_EXEC
	{ SYS_setsockopt, 3, 6, 31, REFUSED },
	{ SYS_setsockopt, 3, 6, 14, REFUSED },
	{ SYS_setsockopt, 3, 6, 32, REFUSED },
	{ SYS_setsockopt, 3, 6, 38, REFUSED },
	{ SYS_setsockopt, 3, 6, 1, SECCOMP_RET_ALLOW },
	{ SYS_setsockopt, 3, 1, 31, SECCOMP_RET_ALLOW },
	{ SYS_ioctl, 0, 0x5452, 0, PRETENDED }, // FIOASYNC
	{ SYS_ioctl, 0, HIGH | 0x5452, 0, PRETENDED },
	{ SYS_fcntl, 0, F_SETFL, O_ASYNC | O_NONBLOCK, REFUSED },
	{ SYS_fcntl, 0, F_SETFL, HIGH | O_ASYNC, REFUSED },
	{ SYS_fcntl, 0, F_SETFL, O_NONBLOCK, SECCOMP_RET_ALLOW },
	{ SYS_prlimit64, 1, 7, 0x7f0000001000, REFUSED }, // of the box's first process
	{ SYS_prlimit64, 1, 7, 0, SECCOMP_RET_ALLOW },
	{ SYS_prlimit64, 2, 7, 0x7f0000001000, SECCOMP_RET_ALLOW },
	{ SYS_sched_setscheduler, 1, 5, 0, REFUSED },
	{ SYS_sched_setscheduler, 0, 5, 0, SECCOMP_RET_ALLOW },
	{ SYS_sched_setattr, HIGH | 1, 0, 0, REFUSED },
	{ SYS_sched_setparam, 1, 0, 0, REFUSED },
	{ SYS_sched_setaffinity, 1, 8, 0, REFUSED },
	{ SYS_setpriority, 0, 1, 5, REFUSED },
	{ SYS_setpriority, 0, 0, 5, SECCOMP_RET_ALLOW },
	{ SYS_setpriority, 1, 0, 5, REFUSED },
	{ SYS_setpriority, HIGH | 1, HIGH, 5, REFUSED },
	{ SYS_setpriority, 1, 7, 5, SECCOMP_RET_ALLOW },
	{ SYS_setpriority, 2, 0, 5, SECCOMP_RET_ALLOW }, // of the pid namespace alone
	{ SYS_ioprio_set, 1, 0, 7, SECCOMP_RET_ALLOW },
	{ SYS_ioprio_set, 2, 0, 7, REFUSED },
	{ SYS_ioprio_set, 2, 7, 7, SECCOMP_RET_ALLOW },
	{ SYS_prctl, 62, 1, 0, SECCOMP_RET_ERRNO | EINVAL }, // PR_SCHED_CORE
	{ SYS_prctl, HIGH | 62, 1, 0, SECCOMP_RET_ERRNO | EINVAL },
	{ SYS_prctl, 38, 1, 0, SECCOMP_RET_ALLOW },
};

static void arguments(void **state)
{
	(void)state;
	compile(1U << GROUP_FIRST_OPTIONAL, NULL, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t got = verdict(NATIVE, rows[i].number, rows[i].a, rows[i].b, rows[i].c);
		if (got != rows[i].answer)
			fail_msg("row %zu: call %u gets %s", i, rows[i].number, word(got));
	}
}

// What takes space at once, where the limit `disk` is enforced; a hole gives some back.
static void unallocated(void **state)
{
	int group = syscall_group_find("unallocated");
	(void)state;
	assert_true(group >= GROUP_FIRST_OPTIONAL);
	compile(1U << group, NULL, 0);
	for (uint64_t mode = 0; mode < 128; mode++)
		assert_int_equal(verdict(NATIVE, SYS_fallocate, 3, mode, 0),
				 mode & 2 ? SECCOMP_RET_ALLOW : NO_SUPPORT);
	assert_int_equal(verdict(NATIVE, SYS_fallocate, 3, HIGH, 0), NO_SUPPORT);
	compile(0, NULL, 0);
	assert_int_equal(verdict(NATIVE, SYS_fallocate, 3, 0, 0), SECCOMP_RET_ALLOW);
}

// What goes on after a SIGKILL, where that limit is strict.
static void buffered(void **state)
{
	int group = syscall_group_find("buffered");
	(void)state;
	assert_true(group >= GROUP_FIRST_OPTIONAL);
	compile(1U << group, NULL, 0);
#ifdef __x86_64__
	assert_int_equal(verdict(NATIVE, SYS_open, 3, O_RDWR | O_CREAT, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(verdict(NATIVE, SYS_open, 3, O_RDWR | O_DIRECT, 0), NOT_VALID);
#endif
	assert_int_equal(verdict(NATIVE, SYS_openat, 3, 0, O_RDWR | O_CREAT), SECCOMP_RET_ALLOW);
	assert_int_equal(verdict(NATIVE, SYS_openat, 3, 0, O_RDWR | O_DIRECT), NOT_VALID);
	assert_int_equal(verdict(NATIVE, SYS_openat2, 3, 0, 0), SECCOMP_RET_ERRNO | ENOSYS);
	assert_int_equal(verdict(NATIVE, SYS_fcntl, 3, F_SETFL, O_DIRECT), NOT_VALID);
	assert_int_equal(verdict(NATIVE, SYS_fcntl, 3, F_SETFL, O_NONBLOCK), SECCOMP_RET_ALLOW);
	compile(0, NULL, 0);
	assert_int_equal(verdict(NATIVE, SYS_openat, 3, 0, O_DIRECT), SECCOMP_RET_ALLOW);
	assert_int_equal(verdict(NATIVE, SYS_openat2, 3, 0, 0), SECCOMP_RET_ALLOW);
}

// The second filter of tier landlock, by network mode.
enum { IN_NONE = 1 << NETWORK_NONE, IN_PROXY = 1 << NETWORK_PROXY, IN_HOST = 1 << NETWORK_HOST };
enum { IN_OWN = IN_NONE | IN_PROXY, IN_ALL = IN_OWN | IN_HOST };
#define ASKED       SECCOMP_RET_USER_NOTIF
#define NO_ACCESS   (SECCOMP_RET_ERRNO | EACCES)
#define NO_REQUEST  (SECCOMP_RET_ERRNO | ENOTTY)
#define NO_CALL     (SECCOMP_RET_ERRNO | ENOSYS)
#define NO_TRANSFER (SECCOMP_RET_ERRNO | EOPNOTSUPP)

static const struct {
	unsigned modes, number;
	uint64_t a, b, c, d;
	uint32_t answer;
} second_rows[] = {
	{ IN_OWN, SYS_socket, 1, 1, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_OWN, SYS_socket, 1, 5, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_OWN, SYS_socket, HIGH | 1, HIGH | 0x80805, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_socket, 1, 2, 0, 0, NO_ACCESS },
	{ IN_ALL, SYS_socket, 1, 3, 0, 0, NO_ACCESS }, // a datagram socket, too
	{ IN_ALL, SYS_socket, HIGH | 1, HIGH | 0x80803, 0, 0, NO_ACCESS },
	{ IN_ALL, SYS_socket, 1, 4, 0, 0, NO_ACCESS },
	{ IN_ALL, SYS_socket, 1, 0, 0, 0, NO_ACCESS },
	{ IN_ALL, SYS_socket, 1, 15, 0, 0, NO_ACCESS },
	{ IN_HOST, SYS_socket, 1, 1, 0, 0, NO_ACCESS },
	{ IN_ALL, SYS_socketpair, 1, 1, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_socketpair, 1, 0x80805, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_socketpair, 1, 2, 0, 0, NO_ACCESS },
	{ IN_ALL, SYS_socketpair, 1, HIGH | 0x80803, 0, 0, NO_ACCESS },
	{ IN_NONE, SYS_socket, 2, 1, 0, 0, NO_ACCESS },
	{ IN_NONE, SYS_socket, 16, 3, 0, 0, NO_ACCESS },
	{ IN_PROXY, SYS_socket, 2, 0x80801, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_PROXY, SYS_socket, 10, 1, 6, 0, SECCOMP_RET_ALLOW },
	{ IN_PROXY, SYS_socket, 10, 2, 0, 0, NO_ACCESS },
	{ IN_PROXY, SYS_socket, 2, 3, 1, 0, NO_ACCESS },
	{ IN_PROXY, SYS_socket, 16, 3, 0, 0, NO_ACCESS },
	{ IN_PROXY, SYS_socket, 2, 1, 262, 0, NO_PROTOCOL },
	{ IN_PROXY, SYS_socket, 2, 1, 2, 0, NO_PROTOCOL },
	{ IN_HOST, SYS_socket, 2, 2, 17, 0, SECCOMP_RET_ALLOW },
	{ IN_OWN, SYS_connect, 3, 0, 0, 0, ASKED },
	{ IN_HOST, SYS_connect, 3, 0, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_bind, 3, 0, 0, 0, ASKED },
	{ IN_PROXY, SYS_listen, 3, 0, 0, 0, ASKED },
	{ IN_PROXY, SYS_sendto, 3, 0, 0, 0x20004000, NO_TRANSFER },
	{ IN_PROXY, SYS_sendmmsg, 3, 0, 0, 0x20000000, NO_TRANSFER },
	{ IN_PROXY, SYS_sendmsg, 3, 0, 0x20000000, 0, NO_TRANSFER },
	{ IN_PROXY, SYS_sendmsg, 3, 0, 0x4000, 0, SECCOMP_RET_ALLOW },
	{ IN_PROXY, SYS_setsockopt, 3, 6, 30, 0, SECCOMP_RET_ERRNO | ENOPROTOOPT },
	{ IN_PROXY, SYS_setsockopt, 3, 6, 1, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_shmget, 0, 0, 0, 0, NO_CALL },
	{ IN_ALL, SYS_prlimit64, 1, 0, 0, 0, REFUSED },
	{ IN_ALL, SYS_prlimit64, 0, 0, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_setpriority, 1, 0, 0, 0, REFUSED },
	{ IN_ALL, SYS_setpriority, 0, 7, 0, 0, REFUSED },
	{ IN_ALL, SYS_setpriority, 0, 0, 5, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_ioprio_set, 2, 0, 0, 0, REFUSED },
	{ IN_ALL, SYS_ioprio_set, 1, 7, 0, 0, REFUSED },
	{ IN_ALL, SYS_ioctl, 3, 0x40086602, 0, 0, NO_REQUEST }, // FS_IOC_SETFLAGS
	{ IN_ALL, SYS_ioctl, 3, HIGH | 0x40086602, 0, 0, NO_REQUEST },
	{ IN_ALL, SYS_ioctl, 3, 0x40087602, 0, 0, NO_REQUEST }, // FS_IOC_SETVERSION
	{ IN_ALL, SYS_ioctl, 3, 0x401c5820, 0, 0, NO_REQUEST }, // FS_IOC_FSSETXATTR
	{ IN_ALL, SYS_ioctl, 3, 0x80086601, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_ioctl, 3, 0x80087601, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_ioctl, 3, 0x801c581f, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_ioctl, 3, 0xc020660b, 0, 0, SECCOMP_RET_ALLOW }, // FS_IOC_FIEMAP
	{ IN_ALL, SYS_ioctl, 3, 0x40049409, 0, 0, SECCOMP_RET_ALLOW }, // FICLONE
	{ IN_ALL, SYS_ioctl, 3, 0x4020940d, 0, 0, SECCOMP_RET_ALLOW }, // FICLONERANGE
	{ IN_ALL, SYS_ioctl, 3, 0x5401, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_ioctl, 3, 0x541b, 0, 0, SECCOMP_RET_ALLOW },
	{ IN_ALL, SYS_ioctl, 3, 0x800c6613, 0, 0, NO_REQUEST },    // FS_IOC_SET_ENCRYPTION_POLICY
	{ IN_ALL, SYS_ioctl, 3, 0x40806685, 0, 0, NO_REQUEST },    // FS_IOC_ENABLE_VERITY
	{ IN_ALL, SYS_ioctl, 3, HIGH | 0x6609, 0, 0, NO_REQUEST }, // EXT4_IOC_MIGRATE
	{ IN_ALL, SYS_ioctl, 3, 0x40047602, 0, 0, NO_REQUEST },    // of 32 bits
	{ IN_ALL, SYS_ioctl, 3, 0xc0045877, 0, 0, NO_REQUEST },    // FIFREEZE
	{ IN_ALL, SYS_ioctl, 3, 0x40047211, 0, 0, NO_REQUEST },    // FAT_IOCTL_SET_ATTRIBUTES
	{ IN_ALL, SYS_ioctl, 3, 0x40106e80, 0, 0, NO_REQUEST },    // NILFS_IOCTL_CHANGE_CPMODE
	{ IN_ALL, SYS_ioctl, 3, 0x5000940e, 0, 0, NO_REQUEST },    // BTRFS_IOC_SUBVOL_CREATE
	{ IN_ALL, SYS_ioctl, 3, 0x40289702, 0, 0, NO_REQUEST },    // CEPH_IOC_SET_LAYOUT
	{ IN_ALL, SYS_ioctl, 3, 0x4020bc10, 0, 0, NO_REQUEST },    // BCH_IOCTL_SUBVOLUME_CREATE
	{ IN_ALL, SYS_ioctl, 3, 0x4004cf04, 0, 0, NO_REQUEST },    // CIFS_IOC_SET_INTEGRITY
	{ IN_ALL, SYS_ioctl, 3, 0x4004f50d, 0, 0, NO_REQUEST },    // F2FS_IOC_SET_PIN_FILE
};

static const unsigned changing[] = {
#ifdef __x86_64__
	SYS_chmod,  SYS_chown,    SYS_lchown,          SYS_utime,  SYS_utimes,   SYS_futimesat,
#endif
	SYS_fchmod, SYS_fchmodat, 452 /* fchmodat2 */, SYS_fchown, SYS_fchownat, SYS_utimensat,
};

// Nobody may, wherever the file is.
static const unsigned setting[] = {
	SYS_setxattr,     SYS_lsetxattr,    SYS_fsetxattr,        SYS_removexattr,
	SYS_lremovexattr, SYS_fremovexattr, 463 /* setxattrat */, 466 /* removexattrat */,
};

static void second_filter(void **state)
{
	(void)state;
	for (unsigned mode = NETWORK_NONE; mode <= NETWORK_HOST; mode++) {
		struct profile profile = { .network = (enum network_mode)mode };
		struct plan plan = { .arena = arena_new(), .profile = &profile };
		assert_int_equal(domain_filter(&plan), 0);
		code = plan.asking.code;
		length = plan.asking.count;
		for (size_t i = 0; i < sizeof(second_rows) / sizeof(*second_rows); i++) {
			struct seccomp_data data = {
				.nr = (int)second_rows[i].number,
				.args = { second_rows[i].a, second_rows[i].b, second_rows[i].c,
					  second_rows[i].d },
			};
			uint32_t got = execute(&data);
			if (second_rows[i].modes & (1U << mode) && got != second_rows[i].answer)
				fail_msg("row %zu, mode %u: %s", i, mode, word(got));
		}
		for (size_t i = 0; i < sizeof(changing) / sizeof(*changing); i++) {
			struct seccomp_data data = { .nr = (int)changing[i] };
			assert_int_equal(execute(&data), ASKED);
		}
		for (size_t i = 0; i < sizeof(setting) / sizeof(*setting); i++) {
			struct seccomp_data data = { .nr = (int)setting[i] };
			assert_int_equal(execute(&data), SECCOMP_RET_ERRNO | EOPNOTSUPP);
		}
		arena_free(plan.arena);
	}
}

// Of a run that began in the background: nothing sets a terminal unasked, nobody leaves the
// session.
static void background(void **state)
{
	static const unsigned looks[] = { 0x01, 0x05, 0x0f, 0x11, 0x13, 0x1b, 0x20,
					  0x21, 0x29, 0x50, 0x51, 0x60, 0x41 };
	static const unsigned pty[] = { 0x802c542a, 0x80045430, 0x40045431 };
	struct profile profile = { .network = NETWORK_NONE };
	struct plan plan = { .arena = arena_new(), .profile = &profile, .background = true };
	(void)state;
	assert_int_equal(domain_filter(&plan), 0);
	code = plan.asking.code;
	length = plan.asking.count;
	assert_int_equal(verdict(NATIVE, SYS_setsid, 0, 0, 0), REFUSED);
	for (unsigned number = 0; number < 256; number++) {
		uint32_t wanted = number == 0x22 ? REFUSED : ASKED; // TIOCNOTTY
		for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
			wanted = looks[i] == number ? SECCOMP_RET_ALLOW : wanted;
		assert_int_equal(verdict(NATIVE, SYS_ioctl, 0, 0x5400 + number, 0), wanted);
		assert_int_equal(verdict(NATIVE, SYS_ioctl, 0, HIGH | (0x5400 + number), 0),
				 wanted);
		assert_int_equal(verdict(NATIVE, SYS_ioctl, 0, 0x402c5400 + number, 0), ASKED);
	}
	for (size_t i = 0; i < sizeof(pty) / sizeof(*pty); i++)
		assert_int_equal(verdict(NATIVE, SYS_ioctl, 0, pty[i], 0), SECCOMP_RET_ALLOW);
	arena_free(plan.arena);
}

static const struct owner_row {
	uint64_t owner, group;
	uint32_t answer;
} owner_rows[] = {
	{ OWN, OWN + 1, SECCOMP_RET_ALLOW },
	{ OWN, NONE, SECCOMP_RET_ALLOW },
	{ NONE, NONE, SECCOMP_RET_ALLOW },
	{ NONE, HIGH | (OWN + 1), SECCOMP_RET_ALLOW },
	{ 0, 0, REFUSED },
	{ 0, NONE, REFUSED },
	{ NONE, 0, REFUSED },
	{ OWN, OWN, REFUSED },
	{ OWN + 1, OWN + 1, REFUSED },
	{ NONE, 65534, PRETENDED },
	{ OWN, 65534, PRETENDED },
	{ 65534, 65534, REFUSED },
};

static void owners(void **state)
{
	static const struct {
		unsigned number, at;
	} calls[] = {
#ifdef SYS_chown
		{ SYS_chown, 1 },
		{ SYS_lchown, 1 },
#endif
		{ SYS_fchown, 1 },
		{ SYS_fchownat, 2 },
	};
	int group = syscall_group_find("owners");
	(void)state;
	assert_true(group >= GROUP_FIRST_OPTIONAL);
	compile(1U << group, NULL, 0);
	for (size_t call = 0; call < sizeof(calls) / sizeof(*calls); call++)
		for (size_t i = 0; i < sizeof(owner_rows) / sizeof(*owner_rows); i++) {
			struct seccomp_data data = { .nr = (int)calls[call].number,
						     .arch = NATIVE };
			data.args[calls[call].at] = owner_rows[i].owner;
			data.args[calls[call].at + 1] = owner_rows[i].group;
			uint32_t got = execute(&data);
			if (got != owner_rows[i].answer)
				fail_msg("row %zu: call %u gets %s", i, calls[call].number,
					 word(got));
		}
}

// A profile for several machines names calls that this one lacks.
static void denied_names(void **state)
{
	static const struct {
		const char *name;
		int status;
		unsigned number; // NONE_HERE: needs no rule
	} names[] = {
		{ "ptrace", 0, SYS_ptrace }, { "poll", 0, SYS_poll },   { "waitpid", 0, NONE_HERE },
		{ "_llseek", 0, NONE_HERE }, { "opne", -1, NONE_HERE }, { "wait", -1, NONE_HERE },
		{ "", -1, NONE_HERE },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct profile profile = { .limits.disk = UNLIMITED };
		struct plan plan = { .arena = arena_new(), .profile = &profile };
		list_add(&profile.syscalls_deny, plan.arena, names[i].name, (struct origin){ 0 });
		assert_int_equal(seccomp_plan(&plan), names[i].status);
		if (names[i].status == 0) {
			code = plan.filter.code;
			length = plan.filter.count;
			if (names[i].number != NONE_HERE)
				assert_int_equal(verdict(NATIVE, names[i].number, 0, 0, 0),
						 REFUSED);
			assert_int_equal(verdict(NATIVE, SYS_read, 0, 0, 0), SECCOMP_RET_ALLOW);
		}
		(void)err_taken();
		arena_free(plan.arena);
	}
}

static void groups_and_denials(void **state)
{
	unsigned denied[] = { SYS_read, SYS_ptrace };
	(void)state;
	compile(0, NULL, 0);
	assert_int_equal(verdict(NATIVE, SYS_ptrace, 0, 0, 0), REFUSED);
	assert_int_equal(verdict(NATIVE, SYS_clone3, 0, 0, 0), SECCOMP_RET_ERRNO | ENOSYS);
	int namespaces = syscall_group_find("namespaces");
	assert_true(namespaces >= GROUP_FIRST_OPTIONAL);
	compile(1U << namespaces, NULL, 0);
	assert_int_equal(verdict(NATIVE, SYS_fchown, 3, 5, 5),
			 SECCOMP_RET_ALLOW); // of a namespace inside
	assert_int_equal(verdict(NATIVE, SYS_clone, 0x10000011, 0, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(verdict(NATIVE, SYS_mount, 0, 0, 0), SECCOMP_RET_ALLOW);
	int root = syscall_group_find("as-root"), own = syscall_group_find("owners");
	assert_true(root >= GROUP_FIRST_OPTIONAL);
	compile(1U << root | 1U << own, NULL, 0);
	assert_int_equal(verdict(NATIVE, SYS_fchown, 0, 0, 0), SECCOMP_RET_ERRNO); // an error of 0
	assert_int_equal(verdict(NATIVE, SYS_setresuid, 0, 0, 0), SECCOMP_RET_ERRNO);
	assert_int_equal(verdict(NATIVE, SYS_mount, 0, 0, 0), REFUSED);
	compile(~0U, denied, 2);
	assert_int_equal(verdict(NATIVE, SYS_read, 0, 0, 0), REFUSED);
	assert_int_equal(verdict(NATIVE, SYS_ptrace, 0, 0, 0), REFUSED);
	assert_int_equal(verdict(NATIVE, SYS_write, 0, 0, 0), SECCOMP_RET_ALLOW);
}

int main(int count, char **words)
{
	if (count > 1 && strcmp(words[1], "--print") == 0) {
		print_golden();
		return 0;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_golden),      cmocka_unit_test(other_conventions),
		cmocka_unit_test(arguments),          cmocka_unit_test(owners),
		cmocka_unit_test(unallocated),        cmocka_unit_test(buffered),
		cmocka_unit_test(second_filter),      cmocka_unit_test(background),
		cmocka_unit_test(groups_and_denials), cmocka_unit_test(denied_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
