// Owns groups and ACLs. What cannot be set is taken from the mode: never more than before.
#include "session/store/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "session/store/store.h"
#include "text/acl.h"

enum { MODE_KEPT = 01777 };
static const char access_name[] = "system.posix_acl_access",
		  default_name[] = "system.posix_acl_default";

static void read_acl(int fd, const char *name, struct acl *acl)
{
	ssize_t size = fgetxattr(fd, name, acl->bytes, sizeof(acl->bytes));
	bool none = size < 0 && (errno == ENODATA || errno == ENOTSUP);
	bool whole = size > ACL_HEAD && (size - ACL_HEAD) % ACL_ENTRY == 0;
	acl->size = whole ? (size_t)size : 0;
	acl->unknown = !whole && !none;
}

// True when the file has the ACL now, or none where there is none.
static bool set_acl(int fd, const char *name, const struct acl *acl)
{
	if (acl->unknown)
		return false;
	if (acl->size > 0)
		return fsetxattr(fd, name, acl->bytes, acl->size, 0) == 0;
	return fremovexattr(fd, name) == 0 || errno == ENODATA || errno == ENOTSUP;
}

// In its group, or, where the caller is no member, with no more for the old and the new one than
// for all, and no more for all than for the old one.
static mode_t set_group(int fd, const struct stat *is, gid_t group, mode_t mode, struct acl *acl)
{
	if (is->st_gid == group || fchown(fd, (uid_t)-1, group) == 0)
		return mode;
	unsigned char *own = acl_find(acl, ACL_GROUP_OWNER);
	mode_t least = (own ? *own : mode >> 3) & mode & 7;
	acl_narrow(acl, ACL_GROUP_OWNER, least);
	acl_narrow(acl, ACL_OTHER, least);
	return (mode & ~(mode_t)(own ? 02007 : 02077)) | (own ? 0 : least << 3) | least;
}

// `mask`: the mode with an ACL's mask for the group's bits.
static int keep(int fd, int host, mode_t mask)
{
	static struct acl acl;
	struct stat is, was;
	if (fstat(fd, &is) < 0 || fstat(host, &was) < 0)
		return -1;
	read_acl(host, access_name, &acl);
	mode_t mode = (acl.size > 0 ? mask : is.st_mode) & MODE_KEPT;
	mode = set_group(fd, &is, was.st_gid, mode, &acl);
	if (!set_acl(fd, access_name, &acl))
		mode = acl_mode_without(&acl, mode);
	return fchmod(fd, mode);
}

// As cp -a: nothing that the copy has got from where it lies stays.
static int copy(int fd, int from)
{
	static struct acl acl, given;
	struct stat is, was;
	if (fstat(fd, &is) < 0 || fstat(from, &was) < 0)
		return -1;
	read_acl(from, access_name, &acl);
	mode_t mode = (is.st_mode & 01700) | (was.st_mode & 077);
	mode = set_group(fd, &is, was.st_gid, mode, &acl);
	if (!set_acl(fd, access_name, &acl))
		mode = acl_mode_without(&acl, mode);
	if (S_ISDIR(is.st_mode)) {
		read_acl(from, default_name, &given);
		set_acl(fd, default_name, &given); // what is made there later is the user's affair
	}
	return fchmod(fd, mode);
}

static int inherit(int fd, int parent)
{
	static struct acl acl, whole;
	struct stat is, above;
	if (fstat(fd, &is) < 0 || fstat(parent, &above) < 0)
		return -1;
	bool directory = S_ISDIR(is.st_mode);
	mode_t mode = is.st_mode & MODE_KEPT;
	read_acl(parent, default_name, &whole);
	acl = whole;
	acl_narrow(&acl, ACL_OWNER, mode >> 6);
	acl_narrow(&acl, acl_find(&acl, ACL_MASK) ? ACL_MASK : ACL_GROUP_OWNER, mode >> 3);
	acl_narrow(&acl, ACL_OTHER, mode);
	if (above.st_mode & S_ISGID)
		mode = set_group(fd, &is, above.st_gid,
				 mode | (directory ? (mode_t)S_ISGID : (mode_t)0), &acl);
	bool set = acl.size > 0 && set_acl(fd, access_name, &acl) &&
		   (!directory || set_acl(fd, default_name, &whole));
	if ((acl.size > 0 || acl.unknown) && !set)
		mode = acl_mode_without(&acl, mode);
	// The ACL has set the mode's own bits; the group's are its mask.
	if (set && fstat(fd, &is) == 0)
		mode = (mode & ~(mode_t)0777) | (is.st_mode & 0777);
	return fchmod(fd, mode);
}

// Also one that cannot be read.
static bool has_acl(int fd, const char *name)
{
	return fgetxattr(fd, name, NULL, 0) >= 0 || (errno != ENODATA && errno != ENOTSUP);
}

// Where other groups are all nobody's (user_namespaces(7)), two of them can be another.
static bool groups_differ(const struct stat *left, const struct stat *right)
{
	return left->st_gid != right->st_gid || (geteuid() != 0 && left->st_gid != getegid());
}

enum rights_given rights_given(int parent)
{
	struct stat status;
	if (has_acl(parent, default_name))
		return RIGHTS_ACL;
	return fstat(parent, &status) == 0 && (status.st_mode & S_ISGID) ? RIGHTS_GROUP
									 : RIGHTS_NONE;
}

bool rights_differ(int directory, const char *name, int host)
{
	struct stat is, was;
	return fstatat(directory, name, &is, AT_SYMLINK_NOFOLLOW) < 0 || fstat(host, &was) < 0 ||
	       groups_differ(&is, &was) || has_acl(host, access_name);
}

bool rights_have_acl(int fd)
{
	return has_acl(fd, access_name) || has_acl(fd, default_name);
}

mode_t rights_without_acl(int fd, mode_t mode)
{
	static struct acl acl;
	read_acl(fd, access_name, &acl);
	return acl.size > 0 || acl.unknown ? acl_mode_without(&acl, mode) : mode;
}

// What is asked of the process with the caller's own ids, and its answer.
struct asked {
	enum what { KEEP, COPY, INHERIT } what;
	int result; // errno
	mode_t mask;
};

static int do_one(struct asked *asked, int fd, int other)
{
	switch (asked->what) {
	case KEEP:
		return keep(fd, other, asked->mask);
	case COPY:
		return copy(fd, other);
	case INHERIT:
		return inherit(fd, other);
	}
	return -1;
}

static _Noreturn void serve(int socket)
{
	static struct asked asked;
	int fds[FD_PASSED];
	while (fd_receive(socket, &asked, sizeof(asked), fds) > 0) {
		asked.result = do_one(&asked, fds[0], fds[1]) < 0 ? errno : 0;
		fd_close(&fds[0]);
		fd_close(&fds[1]);
		if (fd_send(socket, &asked, sizeof(asked), NULL, 0) < 0)
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

static int ask(const struct store *store, struct asked *asked, int fd, int other)
{
	static const char failed[] = "set the rights of a copy";
	int none[FD_PASSED], both[2] = { fd, other };
	if (store->rights <= 0)
		return do_one(asked, fd, other) < 0 ? fail(errno, failed) : 0;
	if (fd_send(store->rights, asked, sizeof(*asked), both, other < 0 ? 1 : 2) < 0 ||
	    fd_receive(store->rights, asked, sizeof(*asked), none) != (ssize_t)sizeof(*asked))
		return fail(errno, failed);
	return asked->result ? fail(asked->result, failed) : 0;
}

static int ask_about(const struct store *store, enum what what, int fd, int other)
{
	static struct asked asked;
	asked.what = what;
	return ask(store, &asked, fd, other);
}

int rights_keep(const struct store *store, int file, int host, mode_t mode)
{
	static struct asked asked;
	asked.what = KEEP;
	asked.mask = mode;
	return ask(store, &asked, file, host);
}

int rights_inherit(const struct store *store, int made, int parent)
{
	return ask_about(store, INHERIT, made, parent);
}

int rights_copy(const struct store *store, int made, int from)
{
	struct stat is, was;
	if (fstat(made, &is) < 0 || fstat(from, &was) < 0)
		return fail(errno, "read the rights of a copy");
	if (!groups_differ(&is, &was) && !rights_have_acl(from) && !rights_have_acl(made))
		return 0;
	return ask_about(store, COPY, made, from);
}

int rights_drop_given(int fd)
{
	bool done = fremovexattr(fd, default_name) == 0 || errno == ENODATA || errno == ENOTSUP;
	return done ? 0 : fail(errno, "set the rights of a directory");
}
