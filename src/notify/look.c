// Owns the comparison of a path in the box with the same path on the host. A call counts as refused
// by the box if only the host's file allows it.
#include "notify/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "view/paths/wishes.h"

enum { MAKES = O_CREAT | O_EXCL };
// The box may change (WRITE) or sees (READ) the directory like the host.
enum { PLAIN_WRITE = 1, PLAIN_READ = 2, PLAIN = 3 };

static int open_inside(const struct looker *look, const char *path, int flags)
{
	return sys_openat2(look->root, path, (uint64_t)(O_PATH | O_CLOEXEC | flags),
			   RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

static void parent_of(const char *path, char parent[PATH_MAX])
{
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	while (length > 0 && path[length - 1] != '/')
		length--;
	while (length > 1 && path[length - 1] == '/')
		length--;
	memcpy(parent, length ? path : "/", length ? length : 1);
	parent[length ? length : 1] = '\0';
}

// Follows no link and enters no autofs: a box must not choose which places the host reads or
// mounts. A slow file system delays only this thread.
static int open_host(const struct plan *plan, const char *path)
{
	bool home = path_within(path, plan->home);
	const char *at = path + (home ? strlen(plan->home) : 0);
	autoclose int fd = open(home ? plan->real_home : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	while (fd >= 0 && *(at += strspn(at, "/"))) {
		char name[NAME_MAX + 1];
		struct statfs status;
		size_t length = strcspn(at, "/");
		if (!str_put(name, sizeof(name), "%.*s", (int)length, at) ||
		    str_equal(name, "..") || fstatfs(fd, &status) < 0 ||
		    status.f_type == AUTOFS_SUPER_MAGIC)
			return -1;
		int next = openat(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		fd_close(&fd);
		fd = next;
		at += length;
	}
	return take(&fd);
}

static bool host_lets(const struct looker *look, const char *path, int mode, mode_t type)
{
	struct stat status;
	autoclose int fd = open_host(look->plan, path);
	return fd >= 0 && fstat(fd, &status) == 0 && (!type || (status.st_mode & S_IFMT) == type) &&
	       faccessat(fd, "", mode, AT_EACCESS | AT_EMPTY_PATH) == 0;
}

static void note(const struct looker *look, const char *kind, const char *flag, const char *allow,
		 const char *why, bool directory)
{
	struct explained found = { .kind = kind,
				   .flag = flag,
				   .why = why,
				   .directory = directory,
				   .pid = (pid_t)look->pid };
	size_t length = strlen(look->named) + 1;
	memcpy(found.program, look->program, sizeof(found.program));
	memcpy(found.paths, look->named, length);
	memcpy(found.paths + length, allow, strlen(allow) + 1);
	send(look->notes, &found, offsetof(struct explained, paths) + length + strlen(allow) + 1,
	     MSG_NOSIGNAL);
}

static const char *real_name(int fd, char name[PATH_MAX])
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, name, PATH_MAX - 1);
	name[length > 0 ? length : 0] = '\0';
	static const char gone[] = " (deleted)";
	if (str_ends(name, gone))
		name[strlen(name) - strlen(gone)] = '\0';
	return name;
}

static unsigned plainness(const struct plan *plan, int fd, const char *real)
{
	size_t length = str_equal(real, "/") ? 0 : strlen(real);
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const char *target = plan->mounts[i].target;
		if (strncmp(target, real, length) == 0 && target[length] == '/' &&
		    !strchr(target + length + 1, '/'))
			return 0;
	}
	bool lets = judge_path(plan, real).verdict != PATH_HIDDEN &&
		    faccessat(fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0;
	return (lets ? PLAIN_WRITE : 0U) | (judge_shows(plan, real) ? PLAIN_READ : 0U);
}

static unsigned plain_for(const struct tried *tried)
{
	return tried->wish <= LOOK_CONNECT ? PLAIN_READ : PLAIN_WRITE;
}

static uint64_t *plain_slot(struct looker *look, const char *directory, uint64_t *ret_key)
{
	*ret_key = str_hash(directory) & ~(uint64_t)PLAIN;
	return &look->plain[(*ret_key >> 2) % LOOK_DIRECTORIES];
}

static bool follows(const struct tried *tried)
{
	return tried->wish <= LOOK_CHANGE && !(tried->flags & O_NOFOLLOW) &&
	       (tried->flags & MAKES) != MAKES;
}

static bool meets_link(const struct looker *look, const char *path)
{
	autoclose int fd = sys_openat2(look->root, path, O_PATH | O_CLOEXEC,
				       RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);
	return fd < 0 && errno == ELOOP;
}

bool look_is_plain(struct looker *look, const struct tried *tried)
{
	char directory[PATH_MAX];
	uint64_t key;
	parent_of(tried->path, directory);
	uint64_t slot = *plain_slot(look, directory, &key);
	// The box may have made links where it writes.
	return (slot & ~(uint64_t)PLAIN) == key && (slot & plain_for(tried)) &&
	       !((slot & PLAIN_WRITE) && follows(tried) && meets_link(look, tried->path));
}

static void follow(const struct looker *look, char path[PATH_MAX])
{
	enum { HOPS_MAX = 8 };
	char target[PATH_MAX], directory[PATH_MAX];
	for (int i = 0; i < HOPS_MAX; i++) {
		autoclose int fd = open_inside(look, path, O_NOFOLLOW);
		ssize_t length = fd < 0 ? 0 : readlinkat(fd, "", target, sizeof(target) - 1);
		if (length <= 0)
			return;
		target[length] = '\0';
		parent_of(path, directory);
		bool fits = str_put(path, PATH_MAX, "%s%s%s", target[0] == '/' ? "" : directory,
				    target[0] == '/' ? "" : "/", target);
		if (!fits)
			return;
	}
}

static void look_at_change(const struct looker *look, int fd, const char *path, bool directory)
{
	char name[PATH_MAX];
	path = fd < 0 ? path : real_name(fd, name);
	bool hidden = judge_path(look->plan, path).verdict == PATH_HIDDEN;
	if (fd >= 0 && !hidden && faccessat(fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0)
		return;
	if (host_lets(look, path, W_OK, 0))
		note(look, "write", hidden ? "read" : "write", path,
		     hidden   ? "is hidden"
		     : fd < 0 ? "is not in the box"
			      : "is read-only in the box",
		     directory);
}

static bool is_wall(const struct plan *plan, int fd)
{
	char name[PATH_MAX];
	const struct mount *by = judge_path(plan, real_name(fd, name)).by;
	return by && str_equal(by->target, name) &&
	       faccessat(fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) < 0;
}

// Ignores calls that fail outside of a box, too: making an existing name, changing an absent one.
static bool look_at_write(const struct looker *look, const struct tried *tried, int directory,
			  const char *parent)
{
	enum look_wish wish = tried->wish;
	bool opens = wish == LOOK_OPEN || wish == LOOK_CREATE;
	bool makes = wish == LOOK_MAKE || (opens && (tried->flags & MAKES) == MAKES);
	bool names = wish == LOOK_REMOVE || wish == LOOK_PUT;
	bool needs =
		wish == LOOK_REMOVE || wish == LOOK_CHANGE || (opens && !(tried->flags & O_CREAT));
	autoclose int fd = open_inside(look, tried->path, makes || names ? O_NOFOLLOW : 0);
	if (fd < 0 && needs && !host_lets(look, tried->path, F_OK, 0))
		return false;
	if (fd >= 0 && makes)
		return true;
	if (names ? fd >= 0 && is_wall(look->plan, fd) : fd >= 0 || needs)
		look_at_change(look, fd, tried->path, false);
	else
		look_at_change(look, directory, parent, true);
	return true;
}

// Programs try to read many absent files: without sbx learn only those of the home are reported.
static void look_at_absent(const struct looker *look, const struct tried *tried)
{
	static const struct {
		const char *kind, *flag;
		int mode;
		mode_t type;
	} rows[] = { [LOOK_READ] = { "read", "read", R_OK, S_IFREG },
		     [LOOK_EXECUTE] = { "execute", "read", X_OK, S_IFREG },
		     [LOOK_CONNECT] = { "connect", "socket", F_OK, S_IFSOCK } };
	char name[PATH_MAX];
	struct stat status;
	const char *path = tried->path, *kind = rows[tried->wish].kind;
	bool reads = tried->wish == LOOK_READ, every = look->plan->learn || !reads;
	autoclose int fd = open_inside(look, path, 0);
	if (fd < 0 && errno == ENOENT && (every || path_within(path, look->plan->home)) &&
	    host_lets(look, path, rows[tried->wish].mode,
		      reads && every ? 0 : rows[tried->wish].type))
		note(look, kind, rows[tried->wish].flag, path, "is not in the box", false);
	else if (fd >= 0 && reads && fstat(fd, &status) == 0 && !(status.st_mode & 0777) &&
		 judge_path(look->plan, real_name(fd, name)).verdict == PATH_HIDDEN)
		note(look, kind, "read", name, "is hidden", false);
}

bool look_at(struct looker *look, const struct tried *tried)
{
	char directory[PATH_MAX], real[PATH_MAX];
	uint64_t key, *slot;
	struct tried end = *tried;
	look->named = tried->path;
	if (follows(tried))
		follow(look, end.path);
	tried = &end;
	parent_of(tried->path, directory);
	slot = plain_slot(look, directory, &key);
	autoclose int fd = open_inside(look, directory, O_DIRECTORY);
	int problem = errno;
	if (fd < 0) { // follows a link in the parent's path
		char last[NAME_MAX + 1];
		follow(look, directory);
		if (str_put(last, sizeof(last), "%s", path_name(end.path)))
			str_put(end.path, sizeof(end.path), "%s/%s", directory, last);
	}
	unsigned plain = fd >= 0 ? plainness(look->plan, fd, real_name(fd, real))
			 : problem == ENOENT && !host_lets(look, directory, F_OK, 0) ? PLAIN
										     : 0;
	*slot = key | plain;
	if (plain & plain_for(tried))
		return true;
	if (plain_for(tried) == PLAIN_WRITE)
		return look_at_write(look, tried, fd, directory);
	look_at_absent(look, tried);
	return true;
}
