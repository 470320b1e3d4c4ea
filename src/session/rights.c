// Owns groups and ACLs. What cannot be set is taken from the mode: never more than before.
#include "session/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "session/store.h"

enum { ACL_MOST = 8192, ACL_HEAD = 4, ACL_ENTRY = 8, MODE_KEPT = 01777 };
// linux/posix_acl.h
enum { TAG_USER_OBJ = 1, TAG_GROUP_OBJ = 4, TAG_MASK = 16, TAG_OTHER = 32 };
static const char access_name[] = "system.posix_acl_access",
		  default_name[] = "system.posix_acl_default";

struct acl {
	size_t size;
	unsigned char bytes[ACL_MOST];
};

// No ACL, and an attribute that is none, are the same.
static void read_acl(int fd, const char *name, struct acl *acl)
{
	ssize_t size = fgetxattr(fd, name, acl->bytes, sizeof(acl->bytes));
	acl->size = size > ACL_HEAD && (size - ACL_HEAD) % ACL_ENTRY == 0 ? (size_t)size : 0;
}

// The permissions of the first entry of that kind, or NULL; little endian, the low byte is enough.
static unsigned char *find_entry(struct acl *acl, unsigned char tag)
{
	for (size_t at = ACL_HEAD; at + ACL_ENTRY <= acl->size; at += ACL_ENTRY)
		if (acl->bytes[at] == tag && acl->bytes[at + 1] == 0)
			return &acl->bytes[at + 2];
	return NULL;
}

static void mask_entry(struct acl *acl, unsigned char tag, unsigned mode)
{
	unsigned char *entry = find_entry(acl, tag);
	if (entry)
		*entry = (unsigned char)(*entry & mode & 7);
}

// The group's bits of a mode, where the ACL that they are the mask of cannot be set.
static mode_t without_acl(struct acl *acl, mode_t mode)
{
	const unsigned char *group = find_entry(acl, TAG_GROUP_OBJ);
	return (mode & ~(mode_t)070) | (mode & (mode_t)((group ? *group & 7U : 0U) << 3));
}

mode_t rights_without_acl(int directory, const char *name, mode_t mode)
{
	struct acl acl;
	if (!(mode & 070) || (!S_ISREG(mode) && !S_ISDIR(mode)))
		return mode;
	autoclose int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return mode & ~(mode_t)070;
	read_acl(fd, access_name, &acl);
	return acl.size > 0 ? without_acl(&acl, mode) : mode;
}

// In its group, or, where the caller is no member, with no more for another one than for all.
static mode_t set_group(int fd, const struct stat *is, gid_t group, mode_t mode)
{
	if (is->st_gid == group || fchown(fd, (uid_t)-1, group) == 0)
		return mode;
	return (mode & ~(mode_t)02070) | (mode & (mode & 07) << 3);
}

static int keep(int fd, int host)
{
	struct stat is, was;
	struct acl acl;
	if (fstat(fd, &is) < 0 || fstat(host, &was) < 0)
		return -1;
	mode_t mode = set_group(fd, &is, was.st_gid, is.st_mode & MODE_KEPT);
	read_acl(host, access_name, &acl);
	if (acl.size > 0 && fsetxattr(fd, access_name, acl.bytes, acl.size, 0) < 0)
		mode = without_acl(&acl, mode);
	return fchmod(fd, mode);
}

static int inherit(int fd, int parent)
{
	struct stat is, above;
	struct acl acl, whole;
	if (fstat(fd, &is) < 0 || fstat(parent, &above) < 0)
		return -1;
	bool directory = S_ISDIR(is.st_mode);
	mode_t mode = is.st_mode & MODE_KEPT;
	if (above.st_mode & S_ISGID)
		mode = set_group(fd, &is, above.st_gid,
				 mode | (directory ? (mode_t)S_ISGID : (mode_t)0));
	read_acl(parent, default_name, &whole);
	acl = whole;
	mask_entry(&acl, TAG_USER_OBJ, mode >> 6);
	mask_entry(&acl, find_entry(&acl, TAG_MASK) ? TAG_MASK : TAG_GROUP_OBJ, mode >> 3);
	mask_entry(&acl, TAG_OTHER, mode);
	bool set = acl.size > 0 && fsetxattr(fd, access_name, acl.bytes, acl.size, 0) == 0 &&
		   (!directory || fsetxattr(fd, default_name, whole.bytes, whole.size, 0) == 0);
	if (acl.size > 0 && !set)
		mode = without_acl(&acl, mode);
	// The ACL has set the mode's own bits; the group's are its mask.
	if (set && fstat(fd, &is) == 0)
		mode = (mode & ~(mode_t)0777) | (is.st_mode & 0777);
	return fchmod(fd, mode);
}

int rights_are_given(int parent)
{
	struct stat status;
	char byte[ACL_MOST];
	return fstat(parent, &status) == 0 &&
	       ((status.st_mode & S_ISGID) ||
		fgetxattr(parent, default_name, byte, sizeof(byte)) > ACL_HEAD);
}

int rights_differ(int directory, const char *name, int host)
{
	struct stat is, was;
	char bytes[ACL_MOST];
	return fstatat(directory, name, &is, AT_SYMLINK_NOFOLLOW) < 0 || fstat(host, &was) < 0 ||
	       is.st_gid != was.st_gid ||
	       fgetxattr(host, access_name, bytes, sizeof(bytes)) > ACL_HEAD;
}

static int do_one(char what, int fd, int other)
{
	return what == 'k' ? keep(fd, other) : inherit(fd, other);
}

static _Noreturn void serve(int socket)
{
	int fds[FD_PASSED], result;
	char what;
	while (fd_receive(socket, &what, 1, fds) == 1) {
		result = do_one(what, fds[0], fds[1]) < 0 ? errno : 0;
		fd_close(&fds[0]);
		fd_close(&fds[1]);
		if (fd_send(socket, &result, sizeof(result), NULL, 0) < 0)
			break;
	}
	_exit(0);
}

int rights_begin(struct store *store)
{
	int ends[2];
	if (geteuid() == 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail(errno, "socketpair");
	pid_t child = fork();
	if (child == 0) {
		fd_close(&ends[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(ends[1]);
	}
	fd_close(&ends[1]);
	if (child < 0) {
		fd_close(&ends[0]);
		return fail(errno, "fork");
	}
	store->rights = ends[0];
	return 0;
}

static int ask(const struct store *store, char what, int fd, int other)
{
	int result, none[FD_PASSED], both[2] = { fd, other };
	if (store->rights <= 0)
		return do_one(what, fd, other) < 0 ? fail(errno, "set the rights of a copy") : 0;
	if (fd_send(store->rights, &what, 1, both, 2) < 0 ||
	    fd_receive(store->rights, &result, sizeof(result), none) != sizeof(result))
		return fail(errno, "set the rights of a copy");
	return result ? fail(result, "set the rights of a copy") : 0;
}

int rights_keep(const struct store *store, int file, int host)
{
	return ask(store, 'k', file, host);
}

int rights_inherit(const struct store *store, int made, int parent)
{
	return ask(store, 'i', made, parent);
}
