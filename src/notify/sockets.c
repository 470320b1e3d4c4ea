// Owns the calls on sockets that sbx makes for the box.
#include "notify/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"
#include "seccomp/asking.h"

union socket_address {
	struct sockaddr_storage any;
	struct sockaddr_un named;
};

// Returns the length, or 0 for an impossible address.
static size_t copy_address(const struct question *question, union socket_address *ret_address)
{
	const uint64_t *arguments = (const uint64_t *)question->asked->data.args;
	size_t length = (uint32_t)arguments[2];
	memset(ret_address, 0, sizeof(*ret_address));
	if (length < sizeof(sa_family_t) || length > sizeof(ret_address->named) ||
	    !asking_memory(question->asked->pid, arguments[1], ret_address, length))
		return 0;
	return length;
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

// Connects a new socket to the checked file. Waits for a busy server like the asker's socket.
static int connect_fresh(int file, int waits)
{
	static const int types[] = { SOCK_STREAM, SOCK_SEQPACKET };
	static const struct timeval a_while = { .tv_sec = 5 }, forever = { 0 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", file);
	int problem = 0;
	for (int i = 0; i < 2; i++) {
		autoclose int fd = socket(AF_UNIX, types[i] | SOCK_CLOEXEC | waits, 0);
		if (fd >= 0 &&
		    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &a_while, sizeof(a_while)) == 0 &&
		    connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
			return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &forever, sizeof(forever)) <
					       0
				       ? -errno
				       : take(&fd);
		problem = errno;
		if (problem != EPROTOTYPE)
			break;
	}
	return -problem;
}

static long flags_of(const struct question *question)
{
	char info[64], text[256];
	snprintf(info, sizeof(info), "/proc/%u/fdinfo/%d", question->asked->pid,
		 (int)question->asked->data.args[0]);
	if (file_kernel(AT_FDCWD, info, text, sizeof(text)) == 0)
		return -EBADF;
	const char *line = strstr(text, "flags:");
	return line ? strtol(line + strlen("flags:"), NULL, 8) : 0;
}

static int replace_socket(const struct question *question, int fresh)
{
	const uint64_t *arguments = (const uint64_t *)question->asked->data.args;
	long flags = flags_of(question);
	if (flags < 0)
		return (int)flags;
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
	autoclose int socket_file = asker_open(question, AT_FDCWD, path, 0);
	if (socket_file < 0 || !is_named(question->plan, socket_file))
		return -EACCES;
	long flags = flags_of(question);
	if (flags < 0)
		return (int)flags;
	autoclose int fresh = connect_fresh(socket_file, flags & O_NONBLOCK ? SOCK_NONBLOCK : 0);
	return fresh < 0 ? fresh : replace_socket(question, fresh);
}

static int socket_option(int fd, int option)
{
	int value = -1;
	socklen_t size = sizeof(value);
	return getsockopt(fd, SOL_SOCKET, option, &value, &size) < 0 ? -1 : value;
}

// `to` is a copy: the kernel does not read the asker's memory again.
static int connect_network(const struct question *question, const struct sockaddr_storage *to)
{
	const struct run *run = question->run;
	if (!question->plan->egress.on)
		return -EACCES;
	autoclose int own = asker_descriptor(question, (int)question->asked->data.args[0]);
	if (own >= 0) {
		if (socket_option(own, SO_TYPE) != SOCK_STREAM ||
		    socket_option(own, SO_PROTOCOL) != IPPROTO_TCP)
			return -EACCES;
		return run->relay(run, own, to);
	}
	if (own != -EPERM)
		return own;
	autoclose int fresh = socket(to->ss_family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	int result = fresh < 0 ? -errno : run->relay(run, fresh, to);
	return result < 0 ? result : replace_socket(question, fresh);
}

static int connect_any(const struct question *question)
{
	union socket_address address;
	char path[sizeof(address.named.sun_path) + 1] = "";
	size_t length = copy_address(question, &address);
	if (length == 0)
		return -EINVAL;
	memcpy(path, address.named.sun_path, sizeof(address.named.sun_path));
	if (address.any.ss_family == AF_UNIX && path[0] != '\0')
		return connect_named(question, path);
	if ((address.any.ss_family == AF_INET && length >= sizeof(struct sockaddr_in)) ||
	    (address.any.ss_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)))
		return connect_network(question, &address.any);
	return -EACCES;
}

// Refuses TCP: it would get a port of the host.
static int listen_unix(const struct question *question)
{
	autoclose int own = asker_descriptor(question, (int)question->asked->data.args[0]);
	if (own < 0 || socket_option(own, SO_DOMAIN) != AF_UNIX)
		return -EACCES;
	return listen(own, (int)question->asked->data.args[1]) < 0 ? -errno : 0;
}

static int bind_name(const struct question *question, int own, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char parent[sizeof(address.sun_path) + 1];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int length = slash == path ? 1 : (int)(name - path);
	str_put(parent, sizeof(parent), "%.*s", length ? length : 1, length ? path : ".");
	if (!name[0])
		return -ENOENT;
	autoclose int directory = asker_open(question, AT_FDCWD, parent, O_DIRECTORY);
	long mask = asker_status(question, "\nUmask:", 8);
	if (directory < 0)
		return directory;
	if (question->plan->tier == TIER_LANDLOCK && !asker_may_change(question->plan, directory))
		return -EACCES;
	if (!question->apart || mask < 0)
		return -EPERM;
	memcpy(address.sun_path, name, strnlen(name, sizeof(address.sun_path)));
	if (fchdir(directory) < 0)
		return -errno;
	umask((mode_t)mask);
	int result = bind(own, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
	return chdir("/") < 0 ? -errno : result;
}

// Refuses abstract names: they belong to the whole machine. Allows one that the kernel chooses.
static int bind_any(const struct question *question)
{
	union socket_address address;
	char path[sizeof(address.named.sun_path) + 1] = "";
	size_t length = copy_address(question, &address);
	if (length == 0)
		return -EINVAL;
	autoclose int own = asker_descriptor(question, (int)question->asked->data.args[0]);
	if (own < 0)
		return own;
	if (socket_option(own, SO_DOMAIN) == AF_UNIX && length > sizeof(sa_family_t)) {
		if (address.any.ss_family != AF_UNIX)
			return -EINVAL;
		memcpy(path, address.named.sun_path, sizeof(address.named.sun_path));
		return path[0] ? bind_name(question, own, path) : -EPERM;
	}
	if (socket_option(own, SO_DOMAIN) != AF_UNIX &&
	    question->plan->profile->network != NETWORK_HOST)
		return -EACCES;
	return bind(own, (const struct sockaddr *)&address, (socklen_t)length) < 0 ? -errno : 0;
}

static const struct {
	const char *call;
	int (*answer)(const struct question *question);
} answers[] = {
	{ "connect", connect_any },
	{ "listen", listen_unix },
	{ "bind", bind_any },
};

int sockets_answer(const struct question *question, const char *call)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (str_equal(answers[i].call, call))
			return answers[i].answer(question);
	return 1;
}
