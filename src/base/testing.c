// Owns the hooks of the test build.
#include "base/testing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sys.h"

#ifdef SBX_TESTING
static bool names(const char *variable, const char *step)
{
	const char *list = getenv(variable);
	size_t length = strlen(step);
	while (list && *list) {
		size_t word = strcspn(list, ",");
		if (word == length && strncmp(list, step, length) == 0)
			return true;
		list += word + (list[word] == ',');
	}
	return false;
}

bool testing_skips(const char *step)
{
	return names("SBX_TEST_SKIP", step);
}

bool testing_fails(const char *step)
{
	return names("SBX_TEST_FAIL", step);
}

const char *testing_meminfo(void)
{
	const char *file = getenv("SBX_TEST_MEMINFO");
	return file ? file : "/proc/meminfo";
}

long testing_look(long nanoseconds)
{
	const char *other = getenv("SBX_TEST_LOOK");
	return other ? atol(other) : nanoseconds;
}

int testing_landlock(int abi)
{
	const char *most = getenv("SBX_TEST_LANDLOCK");
	return most && atoi(most) < abi ? atoi(most) : abi;
}

void testing_reach(void)
{
	const struct {
		const char *name;
		long call, arguments[5];
	} rows[] = {
		{ "execve", SYS_execve, { 0 } },
		{ "execveat", SYS_execveat, { -1 } },
		{ "ptrace", SYS_ptrace, { PTRACE_ATTACH, -1 } },
		{ "process_vm_readv", SYS_process_vm_readv, { -1 } },
		{ "process_vm_writev", SYS_process_vm_writev, { -1 } },
		{ "pidfd_getfd", SYS_pidfd_getfd, { -1 } },
		{ "setns", SYS_setns, { -1, CLONE_NEWUSER } },
		{ "setns-net", SYS_setns, { -1, CLONE_NEWNET } },
		{ "unshare", SYS_unshare, { CLONE_FILES } },
		{ "clone", SYS_clone, { CLONE_NEWUSER | CLONE_FS } },
		{ "clone3", SYS_clone3, { 0 } },
		{ "open_tree", SYS_open_tree, { -1 } },
		{ "keyctl", SYS_keyctl, { -1 } },
		{ "add_key", SYS_add_key, { 0 } },
		{ "perf", SYS_perf_event_open, { 0 } },
		{ "execute-memory", SYS_mprotect, { 1, 0, PROT_EXEC } },
		{ "type", SYS_ioctl, { -1, TIOCSTI } },
		{ "unix", SYS_socket, { AF_UNIX, SOCK_STREAM, 1000 } },
		{ "inet", SYS_socket, { AF_INET, SOCK_STREAM, 1000 } },
		{ "netlink", SYS_socket, { AF_NETLINK, SOCK_RAW, 1000 } },
		{ "vsock", SYS_socket, { AF_VSOCK, -1 } },
	};
	for (size_t i = 0; getenv("SBX_TEST_REACH") && i < sizeof(rows) / sizeof(*rows); i++) {
		const long *all = rows[i].arguments;
		if (syscall(rows[i].call, all[0], all[1], all[2], all[3], all[4]) >= 0 ||
		    (errno != EPERM && errno != ENOSYS))
			dprintf(STDERR_FILENO, "reached: %s\n", rows[i].name);
	}
}

void testing_left(const char *text)
{
	if (text[0])
		dprintf(STDERR_FILENO, "sbx-testing: left behind: %s\n", text);
}
#endif
