// Owns the copying of files between layers, the host and a place to stage.
#include "session/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "session/store/rights.h"

enum { NAMES_MAX = 65536, VALUE_MAX = 65536, MODE_KEPT = 01777 };

static int fail_at(const char *what, const char *name)
{
	return fail(errno, "%s '%s'", what, str_shown(name));
}

int copy_attributes(int from, int to)
{
	static char names[NAMES_MAX], value[VALUE_MAX];
	int acl = 0;
	ssize_t length = flistxattr(from, names, sizeof(names));
	if (length < 0)
		return errno == ENOTSUP ? 0 : fail(errno, "read extended attributes");
	for (const char *name = names; name < names + length; name += strlen(name) + 1) {
		acl |= str_starts(name, "system.posix_acl_");
		if (!str_starts(name, "user.") || str_starts(name, "user.overlay."))
			continue;
		ssize_t size = fgetxattr(from, name, value, sizeof(value));
		if (size < 0 || fsetxattr(to, name, value, (size_t)size, 0) < 0)
			return fail(errno, "copy the extended attribute '%.60s'", str_shown(name));
	}
	return acl;
}

static int copy_range(int from, int to, off_t start, off_t end)
{
	bool by_blocks = true;
	while (start < end) {
		off_t in = start, out = start;
		size_t most = (size_t)(end - start);
		ssize_t done = by_blocks ? copy_file_range(from, &in, to, &out, most, 0)
			       : lseek(to, start, SEEK_SET) < 0 ? -1
								: sendfile(to, from, &in, most);
		if (done <= 0 && by_blocks) {
			by_blocks = false; // across file systems, or of a kind that cannot
			continue;
		}
		if (done <= 0)
			return (int)done; // 0: it has become shorter
		start += done;
	}
	return 0;
}

// Shared blocks where the file system can, else what is not a hole.
static int copy_bytes(int from, int to, const struct stat *status)
{
	enum { SMALL = 65536, BLOCK = 512 };
	static bool no_clones; // of small files, where one of them could not be had
	off_t size = status->st_size;
	bool small = size <= SMALL;
	if (size == 0 || ((!small || !no_clones) && ioctl(to, FICLONE, from) == 0))
		return 0;
	no_clones = true;
	if (small && status->st_blocks * BLOCK >= size)
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

// Of the file itself (name "") or of one of that name in the directory.
static int set_owner(int fd, const char *name, const struct stat *status)
{
	struct stat made;
	// Only root may give files away; for others they stay their own.
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
	int acl = copy_attributes(in, out);
	TRY(acl);
	mode_t mode = acl ? rights_without_acl(in, status->st_mode) : status->st_mode;
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
	mode_t mask = umask(0); // a chmod by name would follow what was put in its place
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
	autoclose int fd = openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || set_owner(fd, "", status) < 0 ||
	    fchmod(fd, status->st_mode & MODE_KEPT) < 0 || futimens(fd, times) < 0)
		return fail_at("copy the mode of", name);
	return 0;
}

// Where the next byte lies that is not in a hole; `size` when there is none.
static off_t next_data(int fd, off_t at, off_t size)
{
	off_t data = lseek(fd, at, SEEK_DATA);
	return data >= 0 ? data : errno == ENXIO ? size : at;
}

bool copy_is_same(int left, int right)
{
	static char a[65536], b[65536];
	struct stat one, other;
	if (fstat(left, &one) < 0 || fstat(right, &other) < 0 || one.st_size != other.st_size)
		return false;
	for (off_t at = 0; at < one.st_size;) {
		if (one.st_size > (off_t)sizeof(a)) {
			off_t first = next_data(left, at, one.st_size),
			      second = next_data(right, at, one.st_size);
			at = first < second ? first : second; // holes of both are the same
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
