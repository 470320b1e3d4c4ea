// Owns the copying of files, with groups and ACLs. Where a right cannot be set, the copy gets a
// smaller mode.
#include "session/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum { NAMES_MAX = 65536, VALUE_MAX = 65536, MODE_KEPT = 01777, OWNER_ALONE = 01700 };
static const char access_name[] = "system.posix_acl_access",
		  default_name[] = "system.posix_acl_default";

static int fail_at(const char *what, const char *name)
{
	return fail(errno, "%s '%s'", what, str_shown(name));
}

int copy_attributes(int from, int to, mode_t *mode)
{
	static char names[NAMES_MAX], value[VALUE_MAX];
	int acl = 0;
	ssize_t length = flistxattr(from, names, sizeof(names));
	if (length < 0)
		return errno == ENOTSUP ? 0 : fail(errno, "read extended attributes");
	for (const char *name = names; name < names + length; name += strlen(name) + 1) {
		acl |= str_starts(name, "system.posix_acl_");
		if (str_equal(name, access_name))
			*mode &= ~(mode_t)077;
		if (!str_starts(name, "user.") || str_starts(name, "user.overlay."))
			continue;
		ssize_t size = fgetxattr(from, name, value, sizeof(value));
		if (size < 0 || fsetxattr(to, name, value, (size_t)size, 0) < 0)
			return fail(errno, "copy the extended attribute '%.60s'", str_shown(name));
	}
	return acl;
}

// Falls back to sendfile(2) where copy_file_range(2) fails.
static int copy_range(int from, int to, off_t start, off_t end)
{
	while (start < end) {
		off_t in = start, out = start;
		size_t most = (size_t)(end - start);
		ssize_t done = copy_file_range(from, &in, to, &out, most, 0);
		if (done <= 0)
			done = lseek(to, start, SEEK_SET) < 0 ? -1 : sendfile(to, from, &in, most);
		if (done <= 0)
			return (int)done;
		start += done;
	}
	return 0;
}

// Copies small files at once, others without their holes.
static int copy_bytes(int from, int to, const struct stat *status)
{
	enum { SMALL = 65536, BLOCK = 512 };
	off_t size = status->st_size;
	if (size <= SMALL && status->st_blocks * BLOCK >= size)
		return copy_range(from, to, 0, size);
	for (off_t at = 0; at < size;) {
		off_t data = lseek(from, at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		off_t hole = data < 0 ? size : lseek(from, data, SEEK_HOLE);
		data = data < 0 ? at : data;
		if (hole < 0 || copy_range(from, to, data, hole) < 0)
			return -1;
		at = hole;
	}
	return ftruncate(to, size);
}

static int set_owner(int fd, const char *name, const struct stat *status)
{
	struct stat made;
	if (geteuid() != 0)
		return 0;
	if (fstatat(fd, name, &made, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (made.st_uid == status->st_uid && made.st_gid == status->st_gid)
		return 0;
	return fchownat(fd, name, status->st_uid, status->st_gid,
			AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
}

static int copy_file(int from, const char *source, const struct stat *status, int to,
		     const char *name)
{
	struct timespec times[2] = { status->st_atim, status->st_mtim };
	autoclose int in = openat(from, source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (in < 0)
		return fail_at("read", source);
	autoclose int out =
		openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return fail_at("make", source);
	if (copy_bytes(in, out, status) < 0)
		return fail_at("copy", source);
	mode_t mode = status->st_mode;
	int acl = copy_attributes(in, out, &mode);
	TRY(acl);
	if (set_owner(out, "", status) < 0 || fchmod(out, mode & MODE_KEPT) < 0 ||
	    futimens(out, times) < 0)
		return fail_at("copy the mode of", source);
	return acl ? COPIED_NO_ACL : COPIED;
}

static int copy_link(int from, const char *source, const struct stat *status, int to,
		     const char *name)
{
	char text[PATH_MAX];
	struct timespec times[2] = { status->st_atim, status->st_mtim };
	ssize_t length = readlinkat(from, source, text, sizeof(text) - 1);
	if (length < 0)
		return fail_at("read the link", source);
	text[length] = '\0';
	if (symlinkat(text, to, name) < 0 || set_owner(to, name, status) < 0 ||
	    utimensat(to, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_at("make the link", source);
	return 0;
}

static int copy_fifo(const struct stat *status, int to, const char *name)
{
	struct timespec times[2] = { status->st_atim, status->st_mtim };
	mode_t mask = umask(0); // mkfifoat(2) sets the whole mode: chmod(2) would follow a link
	int made = mkfifoat(to, name, status->st_mode & 0777), error = errno;
	umask(mask);
	errno = error;
	if (made < 0 || utimensat(to, name, times, AT_SYMLINK_NOFOLLOW) < 0 ||
	    set_owner(to, name, status) < 0)
		return fail_at("make the FIFO", name);
	return 0;
}

int copy_one(int from, const char *source, const struct stat *status, int to, const char *name)
{
	if (S_ISREG(status->st_mode))
		return copy_file(from, source, status, to, name);
	if (S_ISLNK(status->st_mode))
		return copy_link(from, source, status, to, name);
	if (S_ISDIR(status->st_mode))
		return mkdirat(to, name, 0700) < 0 ? fail_at("make", source) : 0;
	if (S_ISFIFO(status->st_mode))
		return copy_fifo(status, to, name);
	return COPIED_NOT;
}

int copy_finish(int to, const char *name, const struct stat *status)
{
	struct timespec times[2] = { status->st_atim, status->st_mtim };
	autoclose int fd = fd_directory(to, name);
	if (fd < 0 || set_owner(fd, "", status) < 0 ||
	    fchmod(fd, status->st_mode & MODE_KEPT) < 0 || futimens(fd, times) < 0)
		return fail_at("copy the mode of", name);
	return 0;
}

// Returns the offset of the next data; `size`: there is none.
static off_t next_data(int fd, off_t at, off_t size)
{
	off_t data = lseek(fd, at, SEEK_DATA);
	return data >= 0 ? data : errno == ENXIO ? size : at;
}

bool copy_is_same(int above, const char *name, int other_above, const char *other_name)
{
	enum { FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
	static char a[65536], b[65536];
	struct stat one, other;
	autoclose int left = openat(above, name, FLAGS),
		      right = openat(other_above, other_name, FLAGS);
	if (fstat(left, &one) < 0 || fstat(right, &other) < 0 || one.st_size != other.st_size)
		return false;
	for (off_t at = 0; at < one.st_size;) {
		if (one.st_size > (off_t)sizeof(a)) {
			off_t first = next_data(left, at, one.st_size),
			      second = next_data(right, at, one.st_size);
			at = first < second ? first : second;
		}
		ssize_t got = pread(left, a, sizeof(a), at), next = pread(right, b, sizeof(b), at);
		if (got < 0 || got != next || memcmp(a, b, (size_t)got) != 0)
			return false;
		if (got == 0)
			break;
		at += got;
	}
	return true;
}

static bool has_acl(int fd, const char *name)
{
	return fgetxattr(fd, name, NULL, 0) >= 0 || (errno != ENODATA && errno != ENOTSUP);
}

static bool copy_acl(int fd, const char *name, int from, const char *source)
{
	static char bytes[VALUE_MAX];
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

// Sets group, ACLs and mode. With an ACL the group bits of `mode` are the ACL's mask.
static int keep(int fd, const struct stat *is, int from, const struct stat *was, mode_t mode)
{
	mode_t others = (has_acl(from, access_name) ? mode : is->st_mode) & 077;
	bool group = set_group(fd, is, was->st_gid),
	     acl = copy_acl(fd, access_name, from, access_name);
	if (S_ISDIR(is->st_mode))
		(void)copy_acl(fd, default_name, from, default_name);
	return fchmod(fd, (is->st_mode & OWNER_ALONE) | (group && acl ? others : 0));
}

// Gives a new entry the group and default ACL of its directory, as the kernel does.
static int inherit(int fd, struct stat *is, int parent, const struct stat *above)
{
	bool directory = S_ISDIR(is->st_mode), sets = above->st_mode & S_ISGID, whole = true;
	mode_t mode = is->st_mode & MODE_KEPT, all = 0777;
	if (sets)
		whole = set_group(fd, is, above->st_gid);
	if (has_acl(parent, default_name)) {
		whole = copy_acl(fd, access_name, parent, default_name) && whole &&
			(!directory || copy_acl(fd, default_name, parent, default_name));
		if (fstat(fd, is) < 0)
			return -1;
		all = is->st_mode & 0777;
	}
	mode &= 01000 | all;
	if (!whole)
		return fchmod(fd, mode & OWNER_ALONE);
	return fchmod(fd, mode | (sets && directory ? (mode_t)S_ISGID : 0));
}

enum rights_given rights_given(int parent)
{
	struct stat status;
	if (has_acl(parent, default_name))
		return RIGHTS_ACL;
	return fstat(parent, &status) == 0 && (status.st_mode & S_ISGID) ? RIGHTS_GROUP
									 : RIGHTS_NONE;
}

struct rights_asked {
	bool inherit;
	mode_t mode;
};

static int give(struct rights_asked asked, int fd, int from)
{
	struct stat is, was;
	if (fstat(fd, &is) < 0 || fstat(from, &was) < 0)
		return errno;
	int result = asked.inherit ? inherit(fd, &is, from, &was)
				   : keep(fd, &is, from, &was, asked.mode);
	return result < 0 ? errno : 0;
}

static _Noreturn void serve(int socket)
{
	struct rights_asked asked;
	int fds[FD_PASSED];
	while (fd_receive(socket, &asked, sizeof(asked), fds) > 0) {
		int result = give(asked, fds[0], fds[1]);
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

static int ask(const struct store *store, struct rights_asked asked, int made, int from)
{
	int result, none[FD_PASSED], both[2] = { made, from };
	if (store->rights <= 0)
		result = give(asked, made, from);
	else if (fd_send(store->rights, &asked, sizeof(asked), both, 2) < 0 ||
		 fd_receive(store->rights, &result, sizeof(result), none) !=
			 (ssize_t)sizeof(result))
		result = errno;
	return result ? fail(result, "set the rights of a copy") : 0;
}

int rights_keep(const struct store *store, int made, int from, mode_t mode)
{
	return ask(store, (struct rights_asked){ .mode = mode }, made, from);
}

int rights_inherit(const struct store *store, int made, int parent)
{
	return ask(store, (struct rights_asked){ .inherit = true }, made, parent);
}

int rights_drop_given(int fd)
{
	bool done = fremovexattr(fd, default_name) == 0 || errno == ENODATA || errno == ENOTSUP;
	return done ? 0 : fail(errno, "set the rights of a directory");
}
