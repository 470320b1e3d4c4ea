// Owns access to the asker, the thread whose call waits: its descriptors, paths and status. Owns
// the answers to calls on process groups and terminals.
#include "notify/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"
#include "seccomp/asking.h"

enum { DESCRIPTOR_MAX = 1 << 30 };

bool asker_waits(const struct question *question)
{
	uint64_t id = question->asked->id;
	return sys_ioctl(question->run->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

long asker_status(const struct question *question, const char *name, int base)
{
	enum { LINE = 64 };
	char path[64], text[4096];
	size_t kept = 0;
	snprintf(path, sizeof(path), "/proc/%u/status", question->asked->pid);
	autoclose int status = open(path, O_RDONLY | O_CLOEXEC);
	for (ssize_t got; (got = read(status, text + kept, sizeof(text) - 1 - kept)) > 0;) {
		kept += (size_t)got;
		text[kept] = '\0';
		const char *line = strstr(text, name);
		if (line && strchr(line + 1, '\n'))
			return strtol(line + strlen(name), NULL, base);
		size_t rest = kept < LINE ? kept : LINE;
		memmove(text, text + kept - rest, rest);
		kept = rest;
	}
	return -1;
}

// Returns a pidfd of the thread, which may have separate descriptors; before Linux 6.9 of its
// process.
static int open_asker(const struct question *question)
{
	int pidfd = sys_pidfd_open_thread((pid_t)question->asked->pid);
	if (pidfd >= 0 || errno != EINVAL)
		return pidfd;
	long process = asker_status(question, "\nTgid:", 10);
	return process > 0 ? sys_pidfd_open((pid_t)process) : -1;
}

int asker_descriptor(const struct question *question, int number)
{
	autoclose int pidfd = open_asker(question);
	if (pidfd < 0 || !asker_waits(question))
		return -EBADF;
	int fd = sys_pidfd_getfd(pidfd, number);
	return fd < 0 ? -errno : fd;
}

int asker_file(const struct question *question, int number)
{
	char path[64];
	int fd = asker_descriptor(question, number);
	if (fd != -EPERM)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", question->asked->pid, number);
	autoclose int file = open(path, O_PATH | O_CLOEXEC);
	return file < 0 || !asker_waits(question) ? -EBADF : take(&file);
}

static int named_descriptor(const struct question *question, const char *path)
{
	static const char *const names[] = { "/proc/self/fd/", "/proc/thread-self/fd/",
					     "/dev/fd/" };
	char own[64];
	unsigned long long number;
	const char *rest = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(path, names[i], strlen(names[i])) == 0)
			rest = path + strlen(names[i]);
	snprintf(own, sizeof(own), "/proc/%u/fd/", question->asked->pid);
	if (strncmp(path, own, strlen(own)) == 0)
		rest = path + strlen(own);
	return rest && str_number(rest, strlen(rest), 0, DESCRIPTOR_MAX, &number) ? (int)number
										  : -1;
}

bool asker_whole_path(uint32_t pid, int directory, const char *path, char whole[PATH_MAX])
{
	char link[64], base[PATH_MAX];
	if (path[0] == '/')
		return snprintf(whole, PATH_MAX, "%s", path) < PATH_MAX;
	if (directory == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%u/cwd", pid);
	else
		snprintf(link, sizeof(link), "/proc/%u/fd/%d", pid, directory);
	ssize_t length = readlink(link, base, sizeof(base) - 1);
	if (length <= 0 || base[0] != '/')
		return false;
	base[length] = '\0';
	for (char *slash; strncmp(path, "../", 3) == 0 && (slash = strrchr(base, '/'));
	     path += 3 + strspn(path + 3, "/"))
		*slash = '\0';
	return snprintf(whole, PATH_MAX, "%s/%s", base, path) < PATH_MAX;
}

static int open_inside(const struct question *question, int directory, const char *path, int flags)
{
	char link[64], whole[PATH_MAX];
	snprintf(link, sizeof(link), "/proc/%u/root", question->asked->pid);
	autoclose int root = open(link, O_PATH | O_CLOEXEC);
	if (root < 0 || !asker_whole_path(question->asked->pid, directory, path, whole) ||
	    !asker_waits(question))
		return -EBADF;
	int fd = sys_openat2(root, whole, (uint64_t)(O_PATH | O_CLOEXEC | flags),
			     RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	return fd < 0 ? -errno : fd;
}

int asker_open(const struct question *question, int directory, const char *path, int flags)
{
	char base[64];
	int number = flags & O_NOFOLLOW ? -1 : named_descriptor(question, path);
	if (number >= 0)
		return asker_file(question, number);
	if (question->plan->tier == TIER_FULL)
		return open_inside(question, directory, path, flags);
	if (directory == AT_FDCWD || path[0] == '/')
		snprintf(base, sizeof(base), "/proc/%u/cwd", question->asked->pid);
	else
		snprintf(base, sizeof(base), "/proc/%u/fd/%d", question->asked->pid, directory);
	autoclose int start = open(base, O_PATH | O_CLOEXEC);
	if (start < 0 || !asker_waits(question))
		return -EBADF;
	int fd = sys_openat2(start, path, (uint64_t)(O_PATH | O_CLOEXEC | flags),
			     RESOLVE_NO_MAGICLINKS);
	return fd < 0 ? -errno : fd;
}

bool asker_may_change(const struct plan *plan, int fd)
{
	static const char memory[] = "/memfd:";
	char link[64], path[PATH_MAX];
	struct stat status;
	snprintf(link, sizeof(link), "/proc/thread-self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || fstat(fd, &status) < 0)
		return false;
	path[length] = '\0';
	if (S_ISSOCK(status.st_mode) && path[0] != '/')
		return true;
	if (status.st_nlink == 0 && strncmp(path, memory, strlen(memory)) == 0)
		return true;
	if (path[0] != '/')
		return false;
	if (path_within(path, plan->temporary))
		return true;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (mount->kind == MOUNT_BIND && mount->access == ACCESS_WRITE && !mount->cache &&
		    path_within(path, mount->source))
			return true;
	}
	return false;
}

// Lets only the foreground change the terminal. Like the kernel, stops a background group by
// SIGTTOU and restarts the call. Node.js aborts on other errors than EPERM.
static int set_terminal(const struct question *question, pid_t group)
{
	enum { RESTART = 512 }; // the kernel's ERESTARTSYS
	const struct run *run = question->run;
	const long stop = 1L << (SIGTTOU - 1);
	if (foreground_is_ours(tcgetpgrp(run->terminal), run->caller_group, run->init))
		return 0;
	if ((asker_status(question, "\nSigBlk:", 16) & stop) ||
	    (asker_status(question, "\nSigIgn:", 16) & stop))
		return -EPERM;
	if (group <= 1 || !asker_waits(question))
		return -EIO;
	return kill(-group, SIGTTOU) < 0 ? -EIO : -RESTART;
}

bool asker_session(const struct question *question)
{
	const struct seccomp_notif *asked = question->asked;
	struct seccomp_notif_resp response = { .id = asked->id };
	const char *call = asking_call(asked->data.nr);
	pid_t group = getpgid((pid_t)asked->pid);
	if (str_equal(call, "kill"))
		response.error = group > 0 && group != question->run->caller_group ? 0 : -EPERM;
	else if (str_equal(call, "ioctl") && (asked->data.args[1] >> 8 & 0xff) == ASKING_TERMINAL)
		response.error = set_terminal(question, group);
	else
		return false;
	if (response.error == 0)
		response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	sys_ioctl(question->run->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	return true;
}
