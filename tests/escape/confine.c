// Runs a command under somebody else's system call filter: `docker` refuses what Docker's default
// profile refuses a process without CAP_SYS_ADMIN, `apparmor` lets user namespaces be made but
// nothing be mounted in them, as on Ubuntu 24.04 without a profile for the program.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CLONE3 = 435, PIDFD_GETFD = 438, NAMESPACES = 0x7e020000 };
#define REFUSE(call, error)                                                                        \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),                                           \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

static const struct sock_filter mounts[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	REFUSE(SYS_mount, EPERM),
	REFUSE(SYS_umount2, EPERM),
	REFUSE(SYS_pivot_root, EPERM),
	REFUSE(428, EPERM),
	REFUSE(429, EPERM),
	REFUSE(430, EPERM),
	REFUSE(431, EPERM),
	REFUSE(432, EPERM),
	REFUSE(433, EPERM),
	REFUSE(442, EPERM),
	REFUSE(SYS_sethostname, EPERM),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static const struct sock_filter docker[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	REFUSE(CLONE3, ENOSYS),
	REFUSE(SYS_unshare, EPERM),
	REFUSE(SYS_setns, EPERM),
	REFUSE(PIDFD_GETFD, EPERM),
	REFUSE(SYS_keyctl, EPERM),
	REFUSE(SYS_add_key, EPERM),
	REFUSE(SYS_request_key, EPERM),
	REFUSE(SYS_bpf, EPERM),
	REFUSE(SYS_perf_event_open, EPERM),
	REFUSE(SYS_userfaultfd, EPERM),
	REFUSE(SYS_name_to_handle_at, EPERM),
	REFUSE(SYS_open_by_handle_at, EPERM),
	REFUSE(SYS_fanotify_init, EPERM),
	REFUSE(SYS_quotactl, EPERM),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static int load(const struct sock_filter *code, size_t size)
{
	const struct { // struct sock_fprog, with a filter that is const
		unsigned short count;
		const struct sock_filter *code;
	} program = { (unsigned short)(size / sizeof(*code)), code };
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int count, char **words)
{
	if (count < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return 2;
	if (load(mounts, sizeof(mounts)) < 0)
		return 2;
	if (strcmp(words[1], "docker") == 0 && load(docker, sizeof(docker)) < 0)
		return 2;
	execvp(words[2], words + 2);
	perror(words[2]);
	return 127;
}
