// Owns the first layer of a root session: a copy of each system directory. An overlay shows the
// topmost directory's owner, and the host's root would be nobody in the box.
#include "session/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum { DEPTH_MAX = 64, OWN_DEPTH = 4, FILE_MAX = 64 << 20 };

enum files { FILES_NONE, FILES_LOCKS, FILES_ALL };

static const struct {
	struct root root;
	enum files files;
} places[] = {
	{ { "/usr", false, true }, FILES_NONE },
	{ { "/etc", false, true }, FILES_ALL },
	{ { "/opt", false, true }, FILES_NONE },
	{ { "/var", true, true }, FILES_NONE },
	{ { "/run", true, true }, FILES_NONE },
	{ { "/var/lib/dpkg", false, true }, FILES_ALL },
	{ { "/var/lib/apt", false, true }, FILES_LOCKS },
};
enum { PLACES = sizeof(places) / sizeof(*places) };

static bool is_directory(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

void skeleton_roots(struct session *session)
{
	for (unsigned i = 0; i < PLACES; i++)
		if (places[i].root.own || is_directory(places[i].root.path))
			session->roots[session->root_count++] = places[i].root;
}

static enum files files_in(enum files files, const char *name)
{
	return files == FILES_ALL && str_equal(name, "info") ? FILES_NONE : files;
}

static int put_file(int from, const char *name, const struct stat *status, int to, enum files files)
{
	bool readable = S_ISLNK(status->st_mode) || faccessat(from, name, R_OK, AT_EACCESS) == 0;
	bool lock = S_ISREG(status->st_mode) && status->st_size == 0 &&
		    (str_starts(name, "lock") || !readable);
	if (files == FILES_NONE || (files == FILES_LOCKS && !lock))
		return 0;
	if (lock) {
		autoclose int fd = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
					  0600 | (status->st_mode & 0777));
		return fd < 0 ? fail(errno, "make a lock") : 0;
	}
	if (!readable || status->st_size > FILE_MAX)
		return 0;
	return copy_one(from, name, status, to, name) < 0 ? -1 : 0;
}

struct skeleton {
	dev_t device;
	int depth;
};

static int put_tree(struct skeleton *skeleton, int from, int to, enum files files);

static int put_directory(struct skeleton *skeleton, int from, const char *name, struct stat *status,
			 int to, enum files files)
{
	autoclose int below = fd_directory(from, name);
	if (mkdirat(to, name, 0700) < 0)
		return fail(errno, "make a directory of the layer");
	autoclose int made = fd_directory(to, name);
	if (made < 0)
		return fail(errno, "open a directory of the layer");
	// Hides a directory that root in the box cannot read, as it is closed and another user's.
	bool foreign = status->st_uid != geteuid() && !(status->st_mode & S_IROTH);
	bool shut = below < 0 || foreign || status->st_dev != skeleton->device;
	if (shut && fsetxattr(made, OPAQUE_XATTR, "y", 1, 0) < 0)
		return fail(errno, "mark a directory of the layer");
	skeleton->depth--;
	if (!shut && skeleton->depth > 0)
		TRY(put_tree(skeleton, below, made, files_in(files, name)));
	skeleton->depth++;
	status->st_uid = geteuid();
	status->st_gid = getegid();
	status->st_mode |= S_IRWXU;
	return copy_finish(to, name, status);
}

static int put_tree(struct skeleton *skeleton, int from, int to, enum files files)
{
	struct stat status;
	char **names;
	struct arena *arena = arena_new();
	int count = names_in(arena, from, &names), result = count < 0 ? -1 : 0;
	for (int i = 0; i < count && result == 0; i++) {
		if (fstatat(from, names[i], &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		result = S_ISDIR(status.st_mode)
				 ? put_directory(skeleton, from, names[i], &status, to, files)
				 : put_file(from, names[i], &status, to, files);
	}
	arena_free(arena);
	return result;
}

static int tell_apt(int etc)
{
	static const char text[] =
		"// sbx: in a box there is one user\nAPT::Sandbox::User \"root\";\n";
	if ((mkdirat(etc, "apt", 0755) < 0 && errno != EEXIST) ||
	    (mkdirat(etc, "apt/apt.conf.d", 0755) < 0 && errno != EEXIST))
		return fail(errno, "make 'apt' in the layer");
	autoclose int fd = openat(etc, "apt/apt.conf.d/99sbx",
				  O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	return fd < 0 || fd_write_all(fd, text, sizeof(text) - 1) < 0
		       ? fail(errno, "write a file of the layer")
		       : 0;
}

static enum files files_of(const char *path)
{
	for (unsigned i = 0; i < PLACES; i++)
		if (str_equal(places[i].root.path, path))
			return places[i].files;
	return FILES_NONE;
}

int skeleton_make(struct store *store, const struct session *session)
{
	char place[PLACE_MAX];
	struct stat status;
	for (unsigned i = 0; i < session->root_count; i++) {
		const struct root *root = &session->roots[i];
		place_of_root(place, session->layers[session->top].id, root->own, i);
		autoclose int to = fd_directory(store->layers, place);
		autoclose int from = fd_directory(AT_FDCWD, root->path);
		if (to < 0 || from < 0 || fstat(from, &status) < 0)
			return fail(errno, "'%s'", root->path);
		// Programs need only directories within this depth.
		struct skeleton skeleton = { status.st_dev, root->own ? OWN_DEPTH : DEPTH_MAX };
		if (root->own || geteuid() != 0 || files_of(root->path) != FILES_NONE)
			TRY(put_tree(&skeleton, from, to, files_of(root->path)));
		if (str_equal(root->path, "/etc") && is_directory("/etc/apt/apt.conf.d"))
			TRY(tell_apt(to));
	}
	return 0;
}
