// Owns groups and ACLs, copied as the kernel has them. What cannot be set is taken from the mode:
// only the owner may use the file.
#include "session/store/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "session/store/store.h"

enum { MODE_KEPT = 01777, OWNER_ALONE = 01700, ACL_MAX = 65536 };
static const char access_name[] = "system.posix_acl_access",
		  default_name[] = "system.posix_acl_default";

// Also one that cannot be read.
static bool has_acl(int fd, const char *name)
{
	return fgetxattr(fd, name, NULL, 0) >= 0 || (errno != ENODATA && errno != ENOTSUP);
}

// Sets the ACL `name` of a file as another one has its ACL `source`, or removes it where that has
// none. False: it could not be read or set.
static bool copy_acl(int fd, const char *name, int from, const char *source)
{
	static char bytes[ACL_MAX];
	ssize_t size = fgetxattr(from, source, bytes, sizeof(bytes));
	if (size >= 0)
		return fsetxattr(fd, name, bytes, (size_t)size, 0) == 0;
	if (errno != ENODATA && errno != ENOTSUP)
		return false;
	return fremovexattr(fd, name) == 0 || errno == ENODATA || errno == ENOTSUP;
}

static bool set_group(int fd, const struct stat *is, gid_t group)
{
	return is->st_gid == group || fchown(fd, (uid_t)-1, group) == 0;
}

// As `from` has it. A directory's default ACL is the user's affair: of a later file.
static int copy(int fd, int from, mode_t mode)
{
	struct stat is, was;
	if (fstat(fd, &is) < 0 || fstat(from, &was) < 0)
		return -1;
	bool group = set_group(fd, &is, was.st_gid),
	     acl = copy_acl(fd, access_name, from, access_name);
	if (S_ISDIR(is.st_mode))
		(void)copy_acl(fd, default_name, from, default_name);
	return fchmod(fd, group && acl ? mode : mode & OWNER_ALONE);
}

// The mode's bits narrow those of the ACL, as they do where the kernel makes a file.
static int inherit(int fd, int parent)
{
	struct stat is, above;
	if (fstat(fd, &is) < 0 || fstat(parent, &above) < 0)
		return -1;
	bool directory = S_ISDIR(is.st_mode), sets = above.st_mode & S_ISGID, whole = true;
	mode_t mode = is.st_mode & MODE_KEPT, all = 0777;
	if (sets)
		whole = set_group(fd, &is, above.st_gid);
	if (has_acl(parent, default_name)) {
		whole = copy_acl(fd, access_name, parent, default_name) && whole &&
			(!directory || copy_acl(fd, default_name, parent, default_name));
		if (fstat(fd, &is) < 0)
			return -1;
		all = is.st_mode & 0777;
	}
	mode &= 01000 | all;
	if (!whole)
		return fchmod(fd, mode & OWNER_ALONE);
	return fchmod(fd, mode | (sets && directory ? (mode_t)S_ISGID : 0));
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

mode_t rights_without_acl(int fd, mode_t mode)
{
	return has_acl(fd, access_name) ? mode & ~(mode_t)077 : mode;
}

// What is asked of the process with the caller's own ids, and its answer.
struct asked {
	bool inherit; // from a directory; else a copy, which gets the mode
	int result;   // errno
	mode_t mode;
};

static int do_one(const struct asked *asked, int fd, int other)
{
	return (asked->inherit ? inherit(fd, other) : copy(fd, other, asked->mode)) < 0 ? errno : 0;
}

static _Noreturn void serve(int socket)
{
	struct asked asked;
	int fds[FD_PASSED];
	while (fd_receive(socket, &asked, sizeof(asked), fds) > 0) {
		asked.result = do_one(&asked, fds[0], fds[1]);
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

static int ask(const struct store *store, struct asked asked, int fd, int other)
{
	int none[FD_PASSED], both[2] = { fd, other };
	if (store->rights <= 0)
		asked.result = do_one(&asked, fd, other);
	else if (fd_send(store->rights, &asked, sizeof(asked), both, 2) < 0 ||
		 fd_receive(store->rights, &asked, sizeof(asked), none) != (ssize_t)sizeof(asked))
		asked.result = errno;
	return asked.result ? fail(asked.result, "set the rights of a copy") : 0;
}

int rights_keep(const struct store *store, int file, int host, mode_t mode)
{
	struct stat is;
	if (fstat(file, &is) < 0)
		return fail(errno, "read the rights of a copy");
	mode = (has_acl(host, access_name) ? mode : is.st_mode) & MODE_KEPT;
	return ask(store, (struct asked){ .mode = mode }, file, host);
}

int rights_inherit(const struct store *store, int made, int parent)
{
	return ask(store, (struct asked){ .inherit = true }, made, parent);
}

int rights_copy(const struct store *store, int made, int from)
{
	struct stat is, was;
	if (fstat(made, &is) < 0 || fstat(from, &was) < 0)
		return fail(errno, "read the rights of a copy");
	bool acls = has_acl(from, access_name) || has_acl(from, default_name) ||
		    has_acl(made, access_name) || has_acl(made, default_name);
	mode_t mode = (is.st_mode & OWNER_ALONE) | (was.st_mode & 077);
	return groups_differ(&is, &was) || acls
		       ? ask(store, (struct asked){ .mode = mode }, made, from)
		       : 0;
}

int rights_drop_given(int fd)
{
	bool done = fremovexattr(fd, default_name) == 0 || errno == ENODATA || errno == ENOTSUP;
	return done ? 0 : fail(errno, "set the rights of a directory");
}
