// Owns the making of directories that belong to the caller alone.
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/capability.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

enum { TREE_DEPTH_MAX = 128, SIZE_DEPTH_MAX = 256, BLOCK = 512, NAMES_MAX = 1 << 20 };

const char *owned_closed(struct arena *arena, const char *path)
{
	struct stat status;
	if (!path || faccessat(AT_FDCWD, path, R_OK | X_OK, AT_EACCESS) == 0 || errno != EACCES ||
	    stat(path, &status) < 0 || status.st_uid != geteuid() ||
	    (status.st_mode & (S_IRUSR | S_IXUSR)) == (S_IRUSR | S_IXUSR))
		return NULL;
	const char *word = quote_fix(arena, path);
	return word ? word : "DIR";
}

static bool is_private(const struct stat *status)
{
	return S_ISDIR(status->st_mode) && status->st_uid == geteuid() &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH));
}

static int unusable(int number, const char *what, const char *path)
{
	if (number != EACCES && number != EPERM && number != EROFS && number != ENOENT)
		return fail(number, "%s'%s'", what, path);
	return fail(0, "%s'%s': %s; set XDG_STATE_HOME to a directory of yours", what, path,
		    strerror(number));
}

int owned_check(const char *state)
{
	struct stat status;
	if (stat(state, &status) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : unusable(errno, "", state);
	if (status.st_uid != geteuid())
		return fail(0,
			    "'%s', where sbx records what you trust, belongs to uid %u; chown it "
			    "to %u, or set XDG_STATE_HOME to a directory of yours",
			    state, (unsigned)status.st_uid, (unsigned)geteuid());
	return is_private(&status)
		       ? 0
		       : fail(0,
			      "'%s', where sbx records what you trust, must be your own directory "
			      "and not writable by others; chmod go-w it, or set XDG_STATE_HOME",
			      state);
}

static int check_private(int directory, const char *name, const char *whole)
{
	struct stat status;
	autoclose int fd = directory;
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(errno, "open '%s' in '%s'", name, whole);
	if (!is_private(&status))
		return fail(0, "'%s' in '%s' must belong to you and be writable by nobody else",
			    name, whole);
	return take(&fd);
}

static int private_directory(int above, const char *name, const char *whole)
{
	if (mkdirat(above, name, 0700) < 0 && errno != EEXIST)
		return unusable(errno, "make ", whole);
	return check_private(fd_directory(above, name), name, whole);
}

int owned_directory(const char *path)
{
	autoclose int fd = fd_directory(AT_FDCWD, path);
	if (fd >= 0)
		return check_private(take(&fd), path_name(path), path);
	fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char name[256];
	for (const char *at = path + 1; *at;) {
		size_t length = strcspn(at, "/");
		if (length >= sizeof(name))
			return fail(ENAMETOOLONG, "'%s'", path);
		memcpy(name, at, length);
		name[length] = '\0';
		at += length + (at[length] == '/');
		int next = openat(fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		bool last = *at == '\0';
		if (next < 0 || last) {
			fd_close(&next);
			TRY(next = private_directory(fd, name, path));
		}
		fd_close(&fd);
		fd = next;
	}
	return take(&fd);
}

int owned_lock(const char *path)
{
	autoclose int fd = owned_directory(path);
	TRY(fd);
	return fd_lock(fd, LOCK_EX) < 0 ? fail(errno, "lock '%s'", path) : take(&fd);
}

struct removal {
	int top;
	unsigned moved;
};

static int remove_entry(struct removal *removal, int directory, const char *name, int depth);

// Gives the owner rights, by a descriptor: a file that replaces `name` keeps its mode.
static int open_for_owner(int directory, const char *name)
{
	char link[64];
	autoclose int fd = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return fd < 0 ? -1 : chmod(link, 0700);
}

static int remove_below(struct removal *removal, int directory, const char *name, int depth)
{
	autoclose int below = fd_directory(directory, name);
	if (below < 0 && errno == EACCES && open_for_owner(directory, name) == 0)
		below = fd_directory(directory, name);
	if (below < 0)
		return fail(errno, "remove '%s'", str_shown(name));
	int result = fchmod(below, 0700);
	if (removal->top < 0)
		removal->top = below;
	entries_each (each, result == 0 ? below : -1) {
		result = remove_entry(removal, below, each->name, depth + 1);
		if (result != 0)
			break;
	}
	if (removal->top == below)
		removal->top = -1;
	return result;
}

static int remove_entry(struct removal *removal, int directory, const char *name, int depth)
{
	char aside[32];
	int result;
	if (unlinkat(directory, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (depth < TREE_DEPTH_MAX) {
		TRY(remove_below(removal, directory, name, depth));
		return unlinkat(directory, name, AT_REMOVEDIR) == 0
			       ? 0
			       : fail(errno, "remove a directory");
	}
	if (open_for_owner(directory, name) < 0)
		return fail(errno, "remove a deep directory");
	do {
		snprintf(aside, sizeof(aside), ".deep-%u", removal->moved++);
		result = renameat(directory, name, removal->top, aside);
	} while (result < 0 && (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) &&
		 removal->moved < NAMES_MAX);
	return result == 0 ? 0 : fail(errno, "remove a deep directory");
}

// Gives the owner rights to directories that lack them. Moves directories up that are too deep.
int owned_remove_tree(int directory, const char *name)
{
	struct removal removal = { .top = -1 };
	struct stat status;
	if (unlinkat(directory, name, 0) == 0 || errno == ENOENT ||
	    (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT))
		return 0;
	for (unsigned before = 0;; before = removal.moved) {
		TRY(remove_below(&removal, directory, name, 0));
		if (unlinkat(directory, name, AT_REMOVEDIR) == 0)
			return 0;
		if (errno != ENOTEMPTY || removal.moved == before)
			return fail(errno, "remove a directory");
	}
}

int owned_override(enum rights_over rights)
{
	static const int kept[] = { CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE };
	char uids[64], gids[64];
	snprintf(uids, sizeof(uids), "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
	snprintf(gids, sizeof(gids), "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
	if (geteuid() == 0 || unshare(CLONE_NEWUSER) < 0)
		return 0;
	const char *const maps[][2] = { { "/proc/self/setgroups", "deny" },
					{ "/proc/self/uid_map", uids },
					{ "/proc/self/gid_map", gids } };
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++) {
		int result = fd_write_file(AT_FDCWD, maps[i][0], maps[i][1]);
		if (result < 0)
			return fail(-result, "%s", maps[i][0]);
	}
	return privileges_keep(kept, rights == OVER_ALL ? 2 : 1) < 0 ? fail(errno, "capset") : 0;
}

int owned_rename(int from, const char *name, int to, const char *fresh)
{
	int status = 0;
	if (fd_rename_new(from, name, to, fresh) == 0)
		return 0;
	if (errno != EACCES || geteuid() == 0)
		return -1;
	pid_t child = fork();
	if (child == 0) {
		bool done =
			owned_override(OVER_ALL) == 0 && fd_rename_new(from, name, to, fresh) == 0;
		_exit(done ? 0 : errno ? errno : EIO);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	errno = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EACCES;
	return errno ? -1 : 0;
}

static uint64_t size_of_directory(int directory, int depth);

static uint64_t size_of_entry(int directory, const char *name, int depth)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	uint64_t bytes = (uint64_t)status.st_blocks * BLOCK;
	if (!S_ISDIR(status.st_mode))
		return bytes;
	autoclose int fd = fd_directory(directory, name);
	if (fd < 0)
		return errno == ENOENT ? 0 : OWNED_SIZE_UNKNOWN;
	uint64_t below = size_of_directory(fd, depth + 1);
	return below < OWNED_SIZE_UNKNOWN ? bytes + below : below;
}

static uint64_t size_of_directory(int directory, int depth)
{
	uint64_t bytes = depth > SIZE_DEPTH_MAX ? OWNED_SIZE_UNKNOWN : 0;
	entries_each (each, directory) {
		if (bytes >= OWNED_SIZE_UNKNOWN)
			return OWNED_SIZE_UNKNOWN;
		bytes += size_of_entry(directory, each->name, depth);
	}
	return bytes < OWNED_SIZE_UNKNOWN ? bytes : OWNED_SIZE_UNKNOWN;
}

uint64_t owned_size(int directory)
{
	autoclose int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? OWNED_SIZE_UNKNOWN : size_of_directory(fd, 0);
}

int owned_follow(struct arena *arena, const char *path, const char **ret_path)
{
	enum { LINKS_MAX = 40 };
	char real[PATH_MAX], text[PATH_MAX];
	for (int links = 0; links < LINKS_MAX; links++) {
		const char *name = path_name(path), *above = path_parent(arena, path);
		if (realpath(above, real))
			path = path_below(arena, arena_copy(arena, real, strlen(real)), name);
		ssize_t length = readlink(path, text, sizeof(text) - 1);
		if (length < 0) {
			*ret_path = path;
			return 0;
		}
		text[length] = '\0';
		path = text[0] == '/' ? arena_copy(arena, text, (size_t)length)
				      : path_below(arena, path_parent(arena, path), text);
	}
	return fail(ELOOP, "'%s'", path);
}

int owned_fresh(char name[OWNED_FRESH], const char *prefix)
{
	uint64_t random;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return fail(errno, "getrandom");
	snprintf(name, OWNED_FRESH, "%.40s%016llx", prefix, (unsigned long long)random);
	return 0;
}

static int open_beside(int directory, const char *name, char beside[PATH_MAX])
{
	uint32_t random;
	int fd;
	do {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return -1;
		if (snprintf(beside, PATH_MAX, "%s.sbx-%08x", name, random) >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = openat(directory, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

static int set_mode(int fd, int directory, const char *name, unsigned mode)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
		return fchmod(fd, mode);
	if (status.st_uid != geteuid() && fchown(fd, status.st_uid, status.st_gid) < 0)
		return -1;
	return fchmod(fd, status.st_mode & 0777);
}

static int replace(int directory, const char *name, const char *bytes, size_t length, unsigned mode,
		   bool durable)
{
	char beside[PATH_MAX];
	autoclose int fd = open_beside(directory, name, beside);
	if (fd >= 0 && set_mode(fd, directory, name, mode) == 0 &&
	    fd_write_all(fd, bytes, length) == 0 && (!durable || fsync(fd) == 0) &&
	    renameat(directory, beside, directory, name) == 0)
		return 0;
	int problem = errno;
	if (fd >= 0)
		unlinkat(directory, beside, 0);
	return fail(problem, "write '%s'", name);
}

int owned_replace(int directory, const char *name, const char *text, unsigned mode)
{
	return replace(directory, name, text, strlen(text), mode, true);
}

int owned_write(int directory, const char *name, const char *bytes, size_t length)
{
	return replace(directory, name, bytes, length, 0600, false);
}

bool owned_keep(const char *file, const char *bytes, size_t length, bool durable)
{
	FORGIVING;
	char place[PATH_MAX];
	str_put(place, sizeof(place), "%.*s", (int)(path_name(file) - file - 1), file);
	autoclose int directory = owned_directory(place);
	return directory >= 0 &&
	       replace(directory, path_name(file), bytes, length, 0600, durable) == 0 &&
	       (!durable || fsync(directory) == 0);
}

static void remove_left(int all, const char *name)
{
	size_t same = (size_t)(strrchr(name, '-') - name) + 1;
	entries_each (entry, all) {
		struct stat status;
		if (strncmp(entry->name, name, same) != 0 || strlen(entry->name) != strlen(name))
			continue;
		autoclose int fd = fd_directory(all, entry->name);
		if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
		    fd_lock(fd, LOCK_EX | LOCK_NB) == 0)
			(void)ATTEMPT(owned_remove_tree(all, entry->name));
	}
}

int owned_temporary(const char *path)
{
	char fresh[OWNED_FRESH];
	const char *name = path_name(path);
	autoclose int all = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (all < 0)
		return fail(errno, "/tmp");
	remove_left(all, name);
	TRY(owned_fresh(fresh, ".sbx-"));
	int made = mkdirat(all, fresh, 0700);
	autoclose int fd = made < 0 ? -1 : openat(all, fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fd_lock(fd, LOCK_EX | LOCK_NB) < 0 ||
	    fd_rename_new(all, fresh, all, name) < 0)
		return fail(errno, "make '%s'", path);
	return take(&fd);
}
