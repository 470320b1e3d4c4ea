// Owns the reading of an archive into a fresh layer. Hostile: each name is looked up without
// symlinks, below the layer's own directories.
#include "session/archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"
#include "session/archive/tar.h"
#include "session/store/store.h"
#include "session/store/merged.h"
#include "session/store/place.h"
#include "session/store/seen.h"

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, ROOTS = 4 };

struct directory {
	struct directory *next; // the one that was read before
	unsigned root;
	const char *path;
	unsigned mode;
	bool acl;
	struct timespec changed;
};

struct tar_reader {
	struct store *store;
	struct session *session;
	int fd, roots[ROOTS];
	const char *made_of; // the project of the archive
	struct directory *directories;
	unsigned left_out, special, unknown;
};

// Which root a path of the archive belongs to; *path becomes relative to it. -1: to none.
static int find_root(const struct tar_reader *reader, const char **path)
{
	size_t longest = 0;
	int found = -1;
	const char *whole = *path;
	const char *project = reader->made_of ? reader->made_of + 1 : NULL;
	for (int i = 0; i < ROOTS; i++) {
		const char *root = reader->session->roots[i].path + 1;
		bool own = reader->session->roots[i].own;
		if (!own && project && path_within(whole, project))
			root = project;
		if (!path_within(whole, root) || strlen(root) < longest)
			continue;
		longest = strlen(root);
		found = i;
	}
	*path = whole + longest + (whole[longest] == '/');
	return found;
}

// The directory that holds a path, made with all above it.
static int open_parent(const struct tar_reader *reader, unsigned root, const char *path,
		       const char **ret_name)
{
	char part[256];
	const char *name = path_name(path);
	autoclose int at = fcntl(reader->roots[root], F_DUPFD_CLOEXEC, 0);
	for (const char *begin = path; begin < name;) {
		size_t length = strcspn(begin, "/");
		if (length >= sizeof(part))
			return fail(ENAMETOOLONG, "a path of the archive");
		str_put(part, sizeof(part), "%.*s", (int)length, begin);
		if (mkdirat(at, part, 0755) < 0 && errno != EEXIST)
			return fail(errno, "make a directory of the layer");
		int next = openat(at, part, DIRECTORY_FLAGS);
		if (next < 0)
			return fail(errno, "'%s' of the archive", str_shown(path));
		fd_close(&at);
		at = next;
		begin += length + 1;
	}
	*ret_name = name;
	return take(&at);
}

// Who reads no ACL takes the mask for the group's bits: a file that has one is for its owner alone.
static int set_mode(struct tar_reader *reader, int fd, unsigned mode, bool acl)
{
	reader->unknown += acl;
	return fchmod(fd, mode & (acl ? 01700 : 01777)) < 0 ? fail(errno, "set a mode") : 0;
}

static int unpack_file(struct tar_reader *reader, const struct tar_entry *entry, int parent,
		       const char *name)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
				     { (time_t)entry->seconds, entry->nanoseconds } };
	autoclose int fd =
		openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(errno, "make '%s' in the layer", str_shown(name));
	if (entry->sparse)
		return fail(0, "the archive has a sparse file; make it again without tar's -S");
	TRY(content_copy(reader->fd, fd, entry->size));
	TRY(set_mode(reader, fd, entry->mode, entry->acl));
	return futimens(fd, times) < 0 ? fail(errno, "set a time") : 0;
}

static int unpack_link(struct tar_reader *reader, const struct tar_entry *entry, unsigned root,
		       int parent, const char *name)
{
	const char *path = tar_path(reader->store->arena, entry->link), *from_name;
	int from_root = path ? find_root(reader, &path) : -1;
	if (from_root != (int)root || !path[0])
		return fail(0, "a hard link of the archive leads out of its directory");
	autoclose int from = open_parent(reader, root, path, &from_name);
	TRY(from);
	return linkat(from, from_name, parent, name, 0) < 0 ? fail(errno, "make a hard link") : 0;
}

static int unpack_directory(struct tar_reader *reader, const struct tar_entry *entry, unsigned root,
			    const char *path, int parent, const char *name)
{
	struct directory *directory = arena_take(reader->store->arena, sizeof(*directory));
	if (mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
		return fail(errno, "make a directory of the layer");
	autoclose int fd = openat(parent, name, DIRECTORY_FLAGS);
	if (fd < 0)
		return fail(errno, "'%s' of the archive", str_shown(path));
	// Mode and time when all is in it.
	*directory = (struct directory){
		reader->directories, root,       path,
		entry->mode,         entry->acl, { (time_t)entry->seconds, entry->nanoseconds }
	};
	reader->directories = directory;
	return 0;
}

// "." and ".." would remove what is above. The root itself is never hidden: the kernel shows the
// host's directory through it all the same, and an apply would remove what the box has seen there.
static int check_whiteout(const char *path, const char *name)
{
	if (!name[0] || str_equal(name, ".") || str_equal(name, ".."))
		return fail(0, "a whiteout of the archive has no name");
	if (str_equal(path, ".wh..wh..opq"))
		return fail(0, "the archive hides a whole directory of the session");
	return 0;
}

static int unpack_whiteout(int parent, const char *name)
{
	if (str_equal(name, ".wh..opq"))
		return fsetxattr(parent, OPAQUE_XATTR, "y", 1, 0) < 0
			       ? fail(errno, "mark a directory")
			       : 0;
	return mknodat(parent, name, S_IFCHR, makedev(0, 0)) < 0 ? fail(errno, "make a whiteout")
								 : 0;
}

static int unpack_at(struct tar_reader *reader, const struct tar_entry *entry, unsigned root,
		     const char *path)
{
	const char *name;
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
				     { (time_t)entry->seconds, entry->nanoseconds } };
	autoclose int parent = open_parent(reader, root, path, &name);
	TRY(parent);
	bool gone = entry->type == '0' && str_starts(name, ".wh.");
	TRY(gone ? check_whiteout(path, name + 4) : 0);
	if (entry->type != '5' && !str_equal(name, ".wh..wh..opq"))
		TRY(owned_remove_tree(
			parent, gone ? name + 4 : name)); // a later entry replaces an earlier one
	if (gone) {
		TRY(unpack_whiteout(parent, name + 4));
		return content_skip(reader->fd, entry->size);
	}
	switch (entry->type) {
	case '0':
	case '7':
		return unpack_file(reader, entry, parent, name);
	case '1':
		return unpack_link(reader, entry, root, parent, name);
	case '2':
		if (symlinkat(entry->link, parent, name) < 0 ||
		    utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW) < 0)
			return fail(errno, "make a link");
		return 0;
	case '5':
		return unpack_directory(reader, entry, root, path, parent, name);
	case '6':
		return copy_make_fifo(parent, name, entry->mode, times) < 0
			       ? fail(errno, "make a FIFO")
			       : 0;
	default: // a byte of the archive, not an enum
		reader->special++;
		return content_skip(reader->fd, entry->size);
	}
}

static int unpack_entry(struct tar_reader *reader, const struct tar_entry *entry)
{
	const char *path = tar_path(reader->store->arena, entry->name);
	if (!path && !str_equal(entry->name, "./") && !str_equal(entry->name, "/") &&
	    !str_equal(entry->name, "."))
		return fail(0, "a path of the archive leads out of it: '%.80s'",
			    str_shown(entry->name));
	if (path && str_equal(path, ".sbx-project") && entry->type == '2' &&
	    entry->link[0] == '/') {
		reader->made_of = path_clean(reader->store->arena, entry->link);
		return 0;
	}
	int root = path ? find_root(reader, &path) : -1;
	if (root >= 0 && path[0])
		return unpack_at(reader, entry, (unsigned)root, path);
	if (root < 0 && path && tar_is_of_image(path))
		return fail(0, "the archive is a container image, and no session; sbx has no "
			       "images; to install packages in a session: sbx session create "
			       "--as-root NAME");
	reader->left_out += root < 0 && path != NULL && entry->type != '5';
	bool content = entry->type == '0' || entry->type == '7';
	return content ? content_skip(reader->fd, entry->size) : 0;
}

// A header with the words for it that came before: pax's, or GNU's long names.
static int next_entry(struct tar_reader *reader, struct tar_entry *ret_entry)
{
	struct arena *arena = reader->store->arena;
	char block[TAR_BLOCK];
	const char *records = NULL, *name = NULL, *link = NULL;
	size_t length = 0;
	for (;;) {
		TRY(content_bytes(reader->fd, block, sizeof(block)));
		int found = tar_header(arena, block, ret_entry);
		if (found <= 0)
			return found;
		if (!strchr("xgLK", ret_entry->type))
			break;
		if (ret_entry->size > TAR_EXTENDED_MAX)
			return fail(0, "the archive's extended header is larger than %d KiB",
				    TAR_EXTENDED_MAX / 1024);
		size_t size = (size_t)ret_entry->size,
		       padded = (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
		char *text = arena_take(arena, padded + 1);
		TRY(content_bytes(reader->fd, text, padded));
		text[size] = '\0';
		if (ret_entry->type == 'x') {
			records = text;
			length = size;
		} else if (ret_entry->type == 'L')
			name = text;
		else if (ret_entry->type == 'K')
			link = text;
	}
	ret_entry->name = name ? name : ret_entry->name;
	ret_entry->link = link ? link : ret_entry->link;
	TRY(tar_extend(arena, records, length, ret_entry));
	return 1;
}

static int finish_directories(struct tar_reader *reader)
{
	for (struct directory *each = reader->directories; each; each = each->next) {
		struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, each->changed };
		const char *name;
		// A later entry may have replaced it, or what is above.
		autoclose int parent = ATTEMPT(open_parent(reader, each->root, each->path, &name));
		autoclose int fd = parent < 0 ? -1 : openat(parent, name, DIRECTORY_FLAGS);
		if (fd < 0)
			continue;
		TRY(set_mode(reader, fd, each->mode, each->acl));
		if (futimens(fd, times) < 0)
			return fail(errno, "set a time");
	}
	return 0;
}

static int unpack(struct tar_reader *reader)
{
	struct tar_entry entry;
	int found;
	for (int i = 0; i < ROOTS; i++) {
		char place[PLACE_MAX];
		place_of_root(place, reader->session->layers[0].id, reader->session->roots[i].own,
			      (unsigned)i);
		reader->roots[i] = openat(reader->store->layers, place, DIRECTORY_FLAGS);
		if (reader->roots[i] < 0)
			return fail(errno, "the fresh layer");
	}
	while ((found = next_entry(reader, &entry)) == 1)
		TRY(unpack_entry(reader, &entry));
	TRY(found);
	return finish_directories(reader);
}

// The host's directories as the session begins with them.
static int look_at_project(struct store *store, const char *name, const char *project)
{
	struct held held;
	TRY(store_hold(store, name, HOLD_LOOK, &held));
	int result = seen_write(held.directory, 0, project);
	store_release(&held);
	return result;
}

int archive_read(struct store *store, const char *name, const char *project, const char *home,
		 int fd, struct out *notes)
{
	const struct root roots[ROOTS] = { { .path = project },
					   { "/tmp", true, false },
					   { "/var/tmp", true, false },
					   { home, true, false } };
	struct session session;
	struct tar_reader reader = {
		.store = store, .session = &session, .fd = fd, .roots = { -1, -1, -1, -1 }
	};
	TRY(store_begin(store, project, &session));
	memcpy(session.roots, roots, sizeof(roots));
	session.root_count = ROOTS;
	TRY(store_add_layer(store, &session, -1));
	int result = unpack(&reader);
	for (int i = 0; i < ROOTS; i++)
		fd_close(&reader.roots[i]);
	if (result == 0)
		result = store_create(store, name, &session);
	if (result == 0)
		result = look_at_project(store, name, project);
	if (result < 0) {
		store_sweep(store); // the first reason is kept
		return -1;
	}
	if (reader.left_out > 0)
		out_text(notes,
			 "sbx: %u files of the archive are outside of the project, the home and "
			 "/tmp; they were left out\n",
			 reader.left_out);
	if (reader.special > 0)
		out_text(notes, "sbx: %u devices and other special files were left out\n",
			 reader.special);
	if (reader.unknown > 0)
		out_text(notes,
			 "sbx: %u access control lists of the archive were left out; only you may "
			 "use their files\n",
			 reader.unknown);
	return 0;
}
