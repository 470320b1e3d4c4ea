// Owns the emulated calls. Arguments are copied once from the caller's memory and used from the
// copy; files are opened once, and judged by where the descriptor really leads.
#include "jail/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "jail/asking.h"
#include "plan.h"
#include "run.h"

struct question {
	const struct plan *plan;
	struct run *run;
	const struct seccomp_notif *asked;
};

static bool still_asked(const struct question *question)
{
	uint64_t id = question->asked->id;
	return sys_ioctl(question->run->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

// What a path of the caller's leads to, from its own directory. No magic links: those of /proc
// would be ours.
static int open_callers(const struct question *question, int directory, const char *path, int flags)
{
	char base[64];
	pid_t pid = (pid_t)question->asked->pid;
	if (directory == AT_FDCWD || path[0] == '/')
		snprintf(base, sizeof(base), "/proc/%d/cwd", (int)pid);
	else
		snprintf(base, sizeof(base), "/proc/%d/fd/%d", (int)pid, directory);
	autoclose int start = open(base, O_PATH | O_CLOEXEC);
	if (start < 0 || !still_asked(question))
		return -EBADF;
	int fd = sys_openat2(start, path, (uint64_t)(O_PATH | O_CLOEXEC | flags),
			     RESOLVE_NO_MAGICLINKS);
	return fd < 0 ? -errno : fd;
}

static bool is_writable(const struct plan *plan, int fd)
{
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || path[0] != '/')
		return false;
	path[length] = '\0';
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

// Opens the file of a metadata call: a descriptor, or -errno.
static int open_changed(const struct question *question, int directory, uint64_t address,
			unsigned flags)
{
	char path[PATH_MAX];
	if (!asking_path(question->asked->pid, address, path))
		return -EFAULT;
	if (path[0] == '\0')
		return -ENOENT;
	int fd = open_callers(question, directory, path,
			      flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
	if (fd >= 0 && !is_writable(question->plan, fd)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int change_mode(const struct question *question, int directory, uint64_t address,
		       uint64_t mode, unsigned flags)
{
	char link[64];
	autoclose int fd = open_changed(question, directory, address, flags);
	if (fd < 0)
		return fd;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return chmod(link, (mode_t)mode & 07777) < 0 ? -errno : 0;
}

static int change_times(const struct question *question)
{
	const uint64_t *arguments = (const uint64_t *)question->asked->data.args;
	char link[64];
	struct timespec times[2];
	if (arguments[2] &&
	    !asking_memory(question->asked->pid, arguments[2], times, sizeof(times)))
		return -EFAULT;
	autoclose int fd =
		open_changed(question, (int)arguments[0], arguments[1], (unsigned)arguments[3]);
	if (fd < 0)
		return fd;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return utimensat(AT_FDCWD, link, arguments[2] ? times : NULL, 0) < 0 ? -errno : 0;
}

static bool is_named(const struct plan *plan, int file)
{
	struct stat status;
	if (fstat(file, &status) < 0)
		return false;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct identity *identity = &plan->mounts[i].identity;
		if (identity->type == S_IFSOCK && identity->inode == status.st_ino &&
		    identity->device == status.st_dev)
			return true;
	}
	return false;
}

// A fresh socket, connected to the very file that was looked at; of both kinds the one it speaks.
static int connect_fresh(int file)
{
	static const int types[] = { SOCK_STREAM, SOCK_SEQPACKET };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", file);
	int problem = 0;
	for (int i = 0; i < 2; i++) {
		autoclose int fd = socket(AF_UNIX, types[i] | SOCK_CLOEXEC, 0);
		if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
			return take(&fd);
		problem = errno;
		if (problem != EPROTOTYPE)
			break;
	}
	return -problem;
}

// Puts a socket into the caller's table in place of its own, with the same flags.
static int replace_socket(const struct question *question, int fresh)
{
	const uint64_t *arguments = (const uint64_t *)question->asked->data.args;
	char info[64], text[256] = "";
	snprintf(info, sizeof(info), "/proc/%d/fdinfo/%d", (int)question->asked->pid,
		 (int)arguments[0]);
	autoclose int file = open(info, O_RDONLY | O_CLOEXEC);
	if (file < 0 || read(file, text, sizeof(text) - 1) <= 0)
		return -EBADF;
	const char *line = strstr(text, "flags:");
	long flags = line ? strtol(line + strlen("flags:"), NULL, 8) : 0;
	if (flags & O_NONBLOCK && fcntl(fresh, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	struct seccomp_notif_addfd add = {
		.id = question->asked->id,
		.flags = SECCOMP_ADDFD_FLAG_SETFD,
		.srcfd = (uint32_t)fresh,
		.newfd = (uint32_t)arguments[0],
		.newfd_flags = flags & O_CLOEXEC ? O_CLOEXEC : 0,
	};
	return sys_ioctl(question->run->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0 ? -errno : 0;
}

static int connect_named(const struct question *question, const char *path)
{
	autoclose int socket_file = open_callers(question, AT_FDCWD, path, 0);
	if (socket_file < 0 || !is_named(question->plan, socket_file))
		return -EACCES;
	autoclose int fresh = connect_fresh(socket_file);
	return fresh < 0 ? fresh : replace_socket(question, fresh);
}

// The caller's own socket, or -errno: Docker's filter refuses pidfd_getfd.
static int take_socket(const struct question *question)
{
	char path[64], text[512] = "";
	snprintf(path, sizeof(path), "/proc/%d/status", (int)question->asked->pid);
	autoclose int status = open(path, O_RDONLY | O_CLOEXEC);
	if (status < 0 || read(status, text, sizeof(text) - 1) <= 0)
		return -EBADF;
	// What asks is a thread; a pidfd is of the process.
	const char *line = strstr(text, "\nTgid:");
	long process = line ? strtol(line + strlen("\nTgid:"), NULL, 10) : 0;
	autoclose int pidfd = process > 0 ? sys_pidfd_open((pid_t)process) : -1;
	if (pidfd < 0 || !still_asked(question))
		return -EBADF;
	int fd = sys_pidfd_getfd(pidfd, (int)question->asked->data.args[0]);
	return fd < 0 ? -errno : fd;
}

static int socket_option(int fd, int option)
{
	int value = -1;
	socklen_t size = sizeof(value);
	return getsockopt(fd, SOL_SOCKET, option, &value, &size) < 0 ? -1 : value;
}

// The supervisor connects the very socket to the proxy and notes where it was meant to go: the
// kernel never looks at the caller's memory again.
static int connect_network(const struct question *question, const struct sockaddr_storage *to)
{
	struct run *run = question->run;
	if (!question->plan->egress.on)
		return -EACCES;
	autoclose int own = take_socket(question);
	if (own >= 0) {
		if (socket_option(own, SO_TYPE) != SOCK_STREAM ||
		    socket_option(own, SO_PROTOCOL) != IPPROTO_TCP)
			return -EACCES;
		return run->relay(question->plan, run, own, to);
	}
	if (own != -EPERM)
		return own;
	autoclose int fresh = socket(to->ss_family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	int result = fresh < 0 ? -errno : run->relay(question->plan, run, fresh, to);
	return result < 0 ? result : replace_socket(question, fresh);
}

static int connect_any(const struct question *question)
{
	const uint64_t *arguments = (const uint64_t *)question->asked->data.args;
	union {
		struct sockaddr_storage any;
		struct sockaddr_un named;
	} address = { .any = { 0 } };
	size_t length = arguments[2] > sizeof(address.named) ? 0 : (size_t)arguments[2];
	if (length < sizeof(sa_family_t) ||
	    !asking_memory(question->asked->pid, arguments[1], &address, length))
		return -EINVAL;
	address.named.sun_path[sizeof(address.named.sun_path) - 1] = '\0';
	if (address.any.ss_family == AF_UNIX && address.named.sun_path[0] != '\0')
		return connect_named(question, address.named.sun_path);
	if ((address.any.ss_family == AF_INET && length >= sizeof(struct sockaddr_in)) ||
	    (address.any.ss_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)))
		return connect_network(question, &address.any);
	return -EACCES;
}

// Unix sockets may; one of TCP would get a port of the host's.
static int listen_unix(const struct question *question)
{
	autoclose int own = take_socket(question);
	if (own < 0 || socket_option(own, SO_DOMAIN) != AF_UNIX)
		return -EACCES;
	return listen(own, (int)question->asked->data.args[1]) < 0 ? -errno : 0;
}

static int mode_by_path(const struct question *question)
{
	const uint64_t *arguments = (const uint64_t *)question->asked->data.args;
	return change_mode(question, AT_FDCWD, arguments[0], arguments[1], 0);
}

static int mode_at(const struct question *question)
{
	const uint64_t *arguments = (const uint64_t *)question->asked->data.args;
	return change_mode(question, (int)arguments[0], arguments[1], arguments[2], 0);
}

static int mode_at_with_flags(const struct question *question)
{
	const uint64_t *arguments = (const uint64_t *)question->asked->data.args;
	return change_mode(question, (int)arguments[0], arguments[1], arguments[2],
			   (unsigned)arguments[3]);
}

static const struct {
	const char *call;
	int (*answer)(const struct question *question); // 0 or -errno
} answers[] = {
	{ "listen", listen_unix },     { "connect", connect_any },
	{ "chmod", mode_by_path },     { "fchmodat", mode_at },
	{ "utimensat", change_times }, { "fchmodat2", mode_at_with_flags },
};

void notify_answer(const struct plan *plan, struct run *run)
{
	struct seccomp_notif asked = { 0 };
	if (sys_ioctl(run->listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
		return;
	struct question question = { plan, run, &asked };
	struct seccomp_notif_resp response = { .id = asked.id, .error = -EPERM };
	const char *call = asking_call(asked.data.nr);
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (str_equal(answers[i].call, call))
			response.error = answers[i].answer(&question);
	sys_ioctl(run->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}
